/* SPDX-License-Identifier: BSD-3-Clause */
/* What the service's one thread has used of a processor: differences tell what some work cost. */
#ifndef JUGGLE_JUGGLED_CPU_TIME_H
#define JUGGLE_JUGGLED_CPU_TIME_H

#include "libjuggle/linux/clock.h"

/* Its children that have ended, the guardians of jobs, are counted in. */
static inline int64_t cpu_time_process_ns(void)
{
    return clock_spent_ns() + clock_used_ns(RUSAGE_CHILDREN);
}

#endif
