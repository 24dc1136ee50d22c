/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/holdings.h"

bool holding_is_balanced(const struct service_job *job)
{
    return service_job_state(job) != SERVICE_JOB_RESTING;
}

struct holding holding_of(const struct entries *jobs, uid_t uid)
{
    struct holding holding = {0};
    const struct service_job *job;
    int cursor = 0;

    while ((job = entries_next(jobs, &cursor))) {
        if (service_job_uid(job) != uid)
            continue;
        const int living = service_job_living(job);
        holding.jobs_count++;
        holding.balanced_count += holding_is_balanced(job);
        holding.threads_count += living;
        holding.asked_count += (int)max_i64(service_job_wish(job)->threads, living);
    }
    return holding;
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

/* Each user is counted at the first of its balanced jobs. */
int holdings_users(const struct entries *jobs)
{
    const struct service_job *job;
    int cursor = 0, count = 0;

    while ((job = entries_next(jobs, &cursor)))
        count += job == first_balanced(jobs, service_job_uid(job));
    return count;
}
