/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of a job, for reports: of the balancing, and of each thread. */
#ifndef JUGGLE_JOB_SUMMARY_H
#define JUGGLE_JOB_SUMMARY_H

#include "libjuggle/job/admission.h"

enum { SUMMARY_NAME_SIZE = 64 };

/* `statistics` points to the texts. */
struct summary {
    struct job_statistics statistics;
    struct job_statistics past; /* the sums of former machines */
    char source[SUMMARY_NAME_SIZE], priority[SUMMARY_NAME_SIZE];
    char shortfall[SHORTFALL_SIZE];
    char speeds[CAPACITY_TEXT_SIZE];
    struct work_account account;
};

/* To be called while the engine runs. */
void summary_take(struct summary *summary, const struct parts *parts, struct admission *admission,
                  int64_t waited_ns);
/* Has later counts continue those taken last. To be called before another engine begins. */
void summary_carry(struct summary *summary);

/* Fills up to `threads_max`; returns how many there are. */
int summary_threads(const struct summary *summary, const struct members *members,
                    struct job_thread *threads, int threads_max);

#endif
