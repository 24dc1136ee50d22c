/* SPDX-License-Identifier: BSD-3-Clause */
/* What there is to tell of a job: of the balancing, and of each thread. */
#ifndef JUGGLE_JOB_SUMMARY_H
#define JUGGLE_JOB_SUMMARY_H

#include "libjuggle/job/admission.h"

enum { SUMMARY_NAME_SIZE = 64 };

/* `statistics` points to the texts. */
struct summary {
    struct job_statistics statistics;
    char source[SUMMARY_NAME_SIZE], priority[SUMMARY_NAME_SIZE];
    char shortfall[SHORTFALL_SIZE];
    char speeds[CAPACITY_TEXT_SIZE];
};

/* While the engine runs. */
void summary_take(struct summary *summary, const struct parts *parts, struct admission *admission,
                  int64_t waited_ns);

/* Fills up to `threads_max`; returns how many there are. */
int summary_threads(const struct members *members, const struct machine *machine,
                    struct job_thread *threads, int threads_max);

#endif
