/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts the numbers of a report to those that causes.h needs. Pure. */
#ifndef JUGGLE_REPORT_BLAME_H
#define JUGGLE_REPORT_BLAME_H

#include "juggle/report/causes.h"
#include "juggle/report/report.h"

/* No causes are reported for a run shorter than this, because its numbers are too coarse. */
#define RUN_MIN_NS (200 * NSEC_PER_MSEC)

/* Like causes_find. Returns 0 if the run was too short, or if nothing is known about it. */
int blame_causes(const struct report *report, struct cause causes[CAUSE_KINDS_COUNT]);

#endif
