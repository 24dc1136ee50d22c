/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/talk/users.h"

#include "cli/foreign.h"
#include "libjuggle/job/allowance.h"

#include <stdlib.h>

json_t *users_to_json(const struct jobs *jobs, const struct clients *clients,
                      const struct credentials *peer)
{
    struct jobs_user *users = calloc(JOBS_USERS_MAX, sizeof(*users));
    const int count = users ? jobs_users(jobs, users) : 0;
    json_t *json = json_array();

    for (int i = 0; i < count; i++) {
        const struct jobs_user *user = &users[i];
        if (!credentials_allow(peer, user->uid))
            continue;
        json_array_append_new(
            json, json_pack("{s:I, s:i, s:i, s:i, s:f, s:I, s:I}", "uid", (json_int_t)user->uid,
                            "jobs_count", user->jobs_count, "resting_count", user->resting_count,
                            "threads_count", user->threads_count, "share",
                            (double)user->share_ppm / SHARE_ALL_PPM, "refused_count",
                            (json_int_t)user->refused_count, "throttled_count",
                            (json_int_t)clients_throttled(clients, user->uid)));
    }
    free(users);
    return json;
}

/* Counts the resting jobs for each reason. */
static json_t *reasons_count(const struct jobs *jobs, const struct credentials *peer)
{
    json_t *counts = json_object();
    const struct service_job *job;
    int cursor = 0;

    while ((job = jobs_next(jobs, &cursor))) {
        const struct foreign reason = {service_job_reason(job)};
        if (!credentials_allow(peer, service_job_uid(job)) ||
            service_job_state(job) != SERVICE_JOB_RESTING)
            continue;
        const char *words = FOREIGN(reason);
        const json_int_t before = json_integer_value(json_object_get(counts, words));
        json_object_set_new(counts, words, json_integer(before + 1));
    }
    return counts;
}

json_t *rests_to_json(const struct jobs *jobs, const struct credentials *peer)
{
    json_t *counts = reasons_count(jobs, peer), *rests = json_array(), *count;
    const char *reason;

    json_object_foreach(counts, reason, count)
    {
        json_t *rest = json_pack("{s:s, s:O}", "reason", reason, "jobs_count", count);
        json_array_append_new(rests, rest);
    }
    json_decref(counts);
    return rests;
}
