/* SPDX-License-Identifier: BSD-3-Clause */
/* How long the run would take with as many threads as processors. */
#ifndef JUGGLE_REPORT_FORECAST_H
#define JUGGLE_REPORT_FORECAST_H

#include "juggle/report/report.h"

struct forecast {
    int threads_count;
    int64_t time_ns;
};

/* Computed from the work of each thread: its run time without spinning, yielding, and being put
 * to sleep and woken. What the thread with the most work has beyond the second is assumed to be
 * done alone; the rest is shared out evenly.
 *
 * False if there are no more threads than processors; if there are several processes, whose work
 * a number of threads does not divide; if the work of no thread is known; if the processors were
 * idle for half of the time; or if other programs took a tenth of them. */
bool forecast_make(const struct report *report, struct forecast *forecast);

#endif
