/* SPDX-License-Identifier: BSD-3-Clause */
/* How much processor time the service may take: for all of its users, and for one. Pure.
 *
 * Half of a user's share is for the turns of balancers, a quarter for looking after the jobs,
 * and a quarter for answering calls. Each job has an equal part of it. The code that spends a
 * part keeps to it (libjuggle/job/allowance.h), so the sum is kept whatever periods are asked
 * for.
 *
 * Shares are millionths of one processor. */
#ifndef JUGGLE_JUGGLED_BUDGET_H
#define JUGGLE_JUGGLED_BUDGET_H

#include "libjuggle/ground/units.h"

struct budget {
    int percent; /* of the time of all processors */
    int percent_per_user;
    int processors_count;
};

/* The share of one user while `users_count` are served. */
int64_t budget_user_ppm(const struct budget *budget, int users_count);

/* The share of the balancers of one job, if `jobs_count` jobs of its user are balanced. Never
 * more than budget.percent of one processor, because they may all run on the same one. At least
 * 1. */
int budget_turns_ppm(const struct budget *budget, int users_count, int jobs_count);

/* The share for looking after one of these jobs. */
int budget_looks_ppm(const struct budget *budget, int users_count, int jobs_count);

/* The share for the calls of one user, and for those of all. */
int budget_calls_ppm(const struct budget *budget);
int budget_all_calls_ppm(const struct budget *budget);

#endif
