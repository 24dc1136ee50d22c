/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a run as a table or as JSON. */
#ifndef JUGGLE_ITERATE_REPORT_H
#define JUGGLE_ITERATE_REPORT_H

#include "tools/iterate/application.h"

/* The application's own result, which is a part of the report. */
struct application_result {
    const char *name; /* "energy" */
    double value;
    int decimals;
};

/* Returns 0, or -EIO after complaining. */
int report_print(const struct application *application, const struct iterate_options *options,
                 const struct run *run, const struct application_result *outcome) MUST_CHECK;

/* Prints the number of tasks, which are not executed. Returns 0, or -EIO after complaining. */
int report_dry_run(const struct application *application, bool json) MUST_CHECK;

#endif
