/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/holdings.h"

bool holding_is_balanced(const struct service_job *job)
{
    return service_job_state(job) != SERVICE_JOB_RESTING;
}

/* Jobs of the user that are balanced now. */
int holdings_balanced(const struct entries *jobs, uid_t uid)
{
    const struct service_job *job;
    int cursor = 0, count = 0;

    while ((job = entries_next(jobs, &cursor)))
        count += service_job_uid(job) == uid && holding_is_balanced(job);
    return count;
}

static const struct service_job *first_balanced(const struct entries *jobs, uid_t uid)
{
    const struct service_job *job;
    int cursor = 0;

    do
        job = entries_next(jobs, &cursor);
    while (job && (service_job_uid(job) != uid || !holding_is_balanced(job)));
    return job;
}

/* Users who have such jobs: each is counted with the first. */
int holdings_users(const struct entries *jobs)
{
    const struct service_job *job;
    int cursor = 0, count = 0;

    while ((job = entries_next(jobs, &cursor)))
        count += job == first_balanced(jobs, service_job_uid(job));
    return count;
}

int holdings_threads(const struct entries *jobs, uid_t uid)
{
    const struct service_job *job;
    int cursor = 0, count = 0;

    while ((job = entries_next(jobs, &cursor)))
        if (service_job_uid(job) == uid)
            count += service_job_living(job);
    return count;
}

/* A job has room for those that it was asked for, whether they are there yet or not. */
int holdings_threads_asked(const struct entries *jobs, uid_t uid)
{
    const struct service_job *job;
    int count = 0, cursor = 0;

    while ((job = entries_next(jobs, &cursor))) {
        if (service_job_uid(job) == uid)
            count += (int)max_i64(service_job_wish(job)->threads, service_job_living(job));
    }
    return count;
}

int holdings_jobs(const struct entries *jobs, uid_t uid)
{
    const struct service_job *job;
    int cursor = 0, count = 0;

    while ((job = entries_next(jobs, &cursor)))
        count += service_job_uid(job) == uid;
    return count;
}
