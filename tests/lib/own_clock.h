/* SPDX-License-Identifier: BSD-3-Clause */
/* A clock that a test sets, in place of the kernel's clocks while `is_read`. */
#ifndef JUGGLE_TESTS_OWN_CLOCK_H
#define JUGGLE_TESTS_OWN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
    bool is_read;
    int64_t now_ns, step_ns; /* each reading takes a step */
} own_clock;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!own_clock.is_read)
        return (int)syscall(SYS_clock_gettime, clock, now);
    own_clock.now_ns += own_clock.step_ns;
    *now = (struct timespec){own_clock.now_ns / 1000000000, own_clock.now_ns % 1000000000};
    return 0;
}

#endif
