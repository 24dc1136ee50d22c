/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of the live balancer: CLOCK_MONOTONIC in nanoseconds. */
#ifndef JUGGLE_LINUX_CLOCK_H
#define JUGGLE_LINUX_CLOCK_H

#include "libjuggle/policy/units.h"

#include <time.h>

static inline int64_t clock_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

#endif
