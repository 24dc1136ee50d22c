/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the times of a run of the benchmark. */
#ifndef JUGGLE_UBENCH_REPORT_H
#define JUGGLE_UBENCH_REPORT_H

#include "tools/ubench/attendance.h"
#include "tools/ubench/settings.h"

/* Prints the iterations of a phase, for --calibrate. */
void report_calibration(const struct settings *settings);

/* Returns the CPU time of the calling process and of the children that it has waited for. */
int64_t report_cpu_time_ns(void);

/* `cpu_ns` is the CPU time of all members. Returns 0, or -errno after complaining. */
int report_run(const struct settings *settings, const struct attendance *attendance,
               int64_t cpu_ns) MUST_CHECK;

#endif
