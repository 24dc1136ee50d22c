/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/job_state.h"

#include <errno.h>
#include <string.h>

static const char *const origin_names[ORIGINS_COUNT] = {
    [ORIGIN_RULE] = "rule",
    [ORIGIN_REQUEST] = "request",
    [ORIGIN_JOIN] = "join",
};

const char *job_origin_name(enum job_origin origin)
{
    return origin_names[origin];
}

int job_origin_parse(const char *name, enum job_origin *origin)
{
    for (int i = 0; i < ORIGINS_COUNT; i++) {
        if (strcmp(name, origin_names[i]) != 0)
            continue;
        *origin = (enum job_origin)i;
        return 0;
    }
    return -EINVAL;
}

const char *service_job_state_name(enum service_job_state state)
{
    static const char *const names[SERVICE_JOB_STATES_COUNT] = {
        [SERVICE_JOB_GATHERING] = "gathering",
        [SERVICE_JOB_BALANCING] = "balancing",
        [SERVICE_JOB_RESTING] = "resting",
    };

    return names[state];
}
