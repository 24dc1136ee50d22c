/* SPDX-License-Identifier: BSD-3-Clause */
/* What the service's one thread has used of a processor: differences tell what some work cost. */
#ifndef JUGGLE_JUGGLED_CPU_TIME_H
#define JUGGLE_JUGGLED_CPU_TIME_H

#include <stdint.h>

/* Its children that have ended, the guardians of jobs, are counted in. */
int64_t cpu_time_process_ns(void);

#endif
