/* SPDX-License-Identifier: BSD-3-Clause */
/* What a report tells of a run, as causes.h wants it measured. Pure. */
#ifndef JUGGLE_REPORT_BLAME_H
#define JUGGLE_REPORT_BLAME_H

#include "juggle/report/causes.h"
#include "juggle/report/report.h"

/* Of a run shorter than this nothing is said: figures are too coarse. */
#define RUN_MIN_NS (200 * NSEC_PER_MSEC)

/* As causes_find; none of a run that was too short to tell, or of which nothing is known. */
int blame_causes(const struct report *report, struct cause causes[CAUSE_KINDS_COUNT]);

#endif
