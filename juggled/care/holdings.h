/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of the service each user holds, counted over the entries of its jobs. */
#ifndef JUGGLE_JUGGLED_HOLDINGS_H
#define JUGGLE_JUGGLED_HOLDINGS_H

#include "juggled/care/budget.h"
#include "juggled/care/entries.h"
#include "juggled/care/service_job.h"

bool holding_is_balanced(const struct service_job *job);

struct holding {
    int jobs_count, balanced_count;
    int threads_count; /* threads that are balanced */
    int asked_count;   /* threads for which the jobs have room, whether they exist yet or not */
};

struct holding holding_of(const struct entries *jobs, uid_t uid);

/* Divides the budget anew: limits each job to its share. *users_count is the number of users with a
 * job that is balanced now. -ENOMEM: all is as before. */
int holdings_share(const struct entries *jobs, const struct budget *budget,
                   int *users_count) MUST_CHECK;

#endif
