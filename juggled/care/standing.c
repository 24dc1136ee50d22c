/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/standing.h"

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

const char *charge_state_name(enum charge_state state)
{
    static const char *const names[CHARGE_STATES_COUNT] = {
        [CHARGE_GATHERING] = "gathering",
        [CHARGE_BALANCING] = "balancing",
        [CHARGE_RESTING] = "resting",
    };

    return names[state];
}
