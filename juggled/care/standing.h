/* SPDX-License-Identifier: BSD-3-Clause */
/* How a job came and what is done with it, with the names that the interface has for that. */
#ifndef JUGGLE_JUGGLED_STANDING_H
#define JUGGLE_JUGGLED_STANDING_H

#include "libjuggle/ground/units.h"

enum job_origin {
    ORIGIN_RULE,    /* the configuration means its processes */
    ORIGIN_REQUEST, /* somebody asked for it */
    ORIGIN_JOIN,    /* its processes joined */
    ORIGINS_COUNT,
};

enum charge_state {
    CHARGE_GATHERING, /* the threads are not complete yet */
    CHARGE_BALANCING,
    CHARGE_RESTING, /* balancing brings nothing or costs too much: tried again later */
    CHARGE_STATES_COUNT,
};

const char *job_origin_name(enum job_origin origin);
/* -EINVAL: it is the name of none. */
int job_origin_parse(const char *name, enum job_origin *origin) MUST_CHECK;
const char *charge_state_name(enum charge_state state);

#endif
