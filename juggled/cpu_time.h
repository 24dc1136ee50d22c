/* SPDX-License-Identifier: BSD-3-Clause */
/* The processor time of the service's only thread. Differences tell the cost of some work. */
#ifndef JUGGLE_JUGGLED_CPU_TIME_H
#define JUGGLE_JUGGLED_CPU_TIME_H

#include "libjuggle/linux/clock.h"

/* Includes children that have ended, such as guardians of jobs. */
static inline int64_t cpu_time_process_ns(void)
{
    return clock_spent_ns() + clock_used_ns(RUSAGE_CHILDREN);
}

#endif
