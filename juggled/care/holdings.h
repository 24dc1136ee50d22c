/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of the service each user holds, counted over the entries of its jobs. */
#ifndef JUGGLE_JUGGLED_HOLDINGS_H
#define JUGGLE_JUGGLED_HOLDINGS_H

#include "juggled/care/entries.h"
#include "juggled/care/service_job.h"

bool holding_is_balanced(const struct service_job *job);

struct holding {
    int jobs_count, balanced_count;
    int threads_count; /* threads that are balanced */
    int asked_count;   /* threads for which the jobs have room, whether they exist yet or not */
};

struct holding holding_of(const struct entries *jobs, uid_t uid);

/* Number of users with a job that is balanced now. */
int holdings_users(const struct entries *jobs);

#endif
