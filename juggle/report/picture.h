/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts a picture of one job, as the service's Monitor sends it, to a report. */
#ifndef JUGGLE_PICTURE_H
#define JUGGLE_PICTURE_H

#include "juggle/report/report.h"

#include <jansson.h>

/* The texts of the report belong to the picture; the caller must free the threads. Values that
 * the picture lacks are zero. -ENOMEM. */
int picture_report(const json_t *picture, struct job_thread **threads,
                   struct report *report) MUST_CHECK;

#endif
