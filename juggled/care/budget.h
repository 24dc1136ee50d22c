/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of the processors the service may take: for all of its users, and for one. Pure.
 *
 * Half of what a user has is for the turns of the balancers, a quarter for looking after the jobs,
 * a quarter for answering calls. Each job has an equal part of it, each part is kept by who spends
 * it (libjuggle/job/allowance.h): so the sum is kept, whatever periods are asked for.
 *
 * Shares are millionths of one processor. */
#ifndef JUGGLE_JUGGLED_BUDGET_H
#define JUGGLE_JUGGLED_BUDGET_H

#include "libjuggle/ground/units.h"

struct budget {
    int percent; /* of all processors' time */
    int percent_per_user;
    int processors_count;
};

/* What one user has when `users_count` are served. */
int64_t budget_user_ppm(const struct budget *budget, int users_count);

/* What the balancers of one job may take, of `jobs_count` that its user has balanced: never more
 * than budget.percent of a processor, for it may always be the same one. At least 1. */
int budget_turns_ppm(const struct budget *budget, int users_count, int jobs_count);

/* What looking after one of them may take. */
int budget_looks_ppm(const struct budget *budget, int users_count, int jobs_count);

/* What the calls of one user may take, and those of all. */
int budget_calls_ppm(const struct budget *budget);
int budget_all_calls_ppm(const struct budget *budget);

#endif
