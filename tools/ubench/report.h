/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what a run of the benchmark took. */
#ifndef JUGGLE_UBENCH_REPORT_H
#define JUGGLE_UBENCH_REPORT_H

#include "tools/ubench/attendance.h"
#include "tools/ubench/settings.h"

/* The work of a phase alone, for --calibrate. */
void report_calibration(const struct settings *settings);

/* CPU time of the calling process and of the children that it has waited for. */
int64_t report_cpu_time_ns(void);

/* `cpu_ns` is the CPU time of all members. 0, or -errno after complaining. */
int report_run(const struct settings *settings, const struct attendance *attendance,
               int64_t cpu_ns) MUST_CHECK;

#endif
