/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/holdings.h"

#include <errno.h>
#include <stdlib.h>

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

/* ---- shares ---- */

static int uid_compare(const void *left, const void *right)
{
    const uid_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Writes the user of each job that is balanced, sorted; returns their number. */
static int balanced_uids(const struct entries *jobs, uid_t *uids)
{
    const struct service_job *job;
    int cursor = 0, count = 0;

    while ((job = entries_next(jobs, &cursor)))
        if (holding_is_balanced(job))
            uids[count++] = service_job_uid(job);
    qsort(uids, (size_t)count, sizeof(*uids), uid_compare);
    return count;
}

static int distinct_count(const uid_t *uids, int count)
{
    int distinct = count > 0;

    for (int i = 1; i < count; i++)
        distinct += uids[i] != uids[i - 1];
    return distinct;
}

/* Returns how many entries are less. */
static int less_count(const uid_t *uids, int count, uint64_t than)
{
    int low = 0, high = count;

    while (low < high) {
        const int middle = (low + high) / 2;
        if (uids[middle] < than)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int holdings_share(const struct entries *jobs, const struct budget *budget, int *users_count)
{
    uid_t *uids = malloc((size_t)(jobs->limit + 1) * sizeof(*uids));
    struct service_job *job;
    int cursor = 0;

    if (!uids)
        return -ENOMEM;
    const int count = balanced_uids(jobs, uids), users = distinct_count(uids, count);
    while ((job = entries_next(jobs, &cursor))) {
        const uint64_t uid = service_job_uid(job);
        const int of_user = less_count(uids, count, uid + 1) - less_count(uids, count, uid);
        service_job_limit(job, budget_turns_ppm(budget, users, of_user),
                          budget_looks_ppm(budget, users, of_user));
    }
    free(uids);
    *users_count = users;
    return 0;
}
