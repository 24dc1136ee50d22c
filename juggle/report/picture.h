/* SPDX-License-Identifier: BSD-3-Clause */
/* What the service's Monitor tells of one job, as a report. */
#ifndef JUGGLE_PICTURE_H
#define JUGGLE_PICTURE_H

#include "juggle/report/report.h"

#include <jansson.h>

/* The report's texts are the picture's; its threads are the caller's to free. What the picture does
 * not say is zero. -ENOMEM. */
int picture_report(const json_t *picture, struct job_thread **threads,
                   struct report *report) MUST_CHECK;

#endif
