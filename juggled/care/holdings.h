/* SPDX-License-Identifier: BSD-3-Clause */
/* How much of the service each user holds, counted over the entries of its jobs. */
#ifndef JUGGLE_JUGGLED_HOLDINGS_H
#define JUGGLE_JUGGLED_HOLDINGS_H

#include "juggled/care/entries.h"
#include "juggled/care/service_job.h"

bool holding_is_balanced(const struct service_job *job);

/* Jobs of the user that are balanced now, and users who have such jobs. */
int holdings_balanced(const struct entries *jobs, uid_t uid);
int holdings_users(const struct entries *jobs);

int holdings_jobs(const struct entries *jobs, uid_t uid);
int holdings_threads(const struct entries *jobs, uid_t uid);
/* Jobs have room for those that they were asked for, whether they are there yet or not. */
int holdings_threads_asked(const struct entries *jobs, uid_t uid);

#endif
