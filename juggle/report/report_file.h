/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a report goes: to a file, or else to standard error. */
#ifndef JUGGLE_REPORT_FILE_H
#define JUGGLE_REPORT_FILE_H

#include "juggle/files/output.h"
#include "juggle/report/report.h"
#include "juggle/settings.h"

/* Complains about a file that could not be written; where stderr is closed there is nobody to tell.
 */
int report_write(const struct report *report, enum report_format format,
                 struct output *output) MUST_CHECK;

#endif
