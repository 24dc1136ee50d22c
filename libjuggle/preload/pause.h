/* SPDX-License-Identifier: BSD-3-Clause */
/* Sleeps without a call of the C library, because the program's threads must not be canceled
 * there. */
#ifndef JUGGLE_PRELOAD_PAUSE_H
#define JUGGLE_PRELOAD_PAUSE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Sleeps for less than a second. */
static inline void pause_ns(int64_t ns)
{
    const struct timespec pause = {0, ns};

    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
}

#endif
