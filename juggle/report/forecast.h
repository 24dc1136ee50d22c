/* SPDX-License-Identifier: BSD-3-Clause */
/* How long the run would take with as many threads as processors. */
#ifndef JUGGLE_REPORT_FORECAST_H
#define JUGGLE_REPORT_FORECAST_H

#include "juggle/report/report.h"

struct forecast {
    int threads_count;
    int64_t time_ns;
};

/*
 * From the work of each thread: its run time without what it spun, yielded and spent on being put
 * to sleep and woken. What the thread with the most has beyond the next is done alone, the rest is
 * shared out anew. False: there are no more threads than processors, or several processes, whose
 * work is not shared out by a number of threads; nobody was looked at; or processors had nothing to
 * do for half of the time, or other programs took a tenth of theirs.
 */
bool forecast_make(const struct report *report, struct forecast *forecast);

#endif
