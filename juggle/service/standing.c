/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/service/standing.h"

const char *job_origin_name(enum job_origin origin)
{
    static const char *const names[ORIGINS_COUNT] = {
        [ORIGIN_RULE] = "rule",
        [ORIGIN_REQUEST] = "request",
        [ORIGIN_JOIN] = "join",
    };

    return names[origin];
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
