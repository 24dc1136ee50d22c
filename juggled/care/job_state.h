/* SPDX-License-Identifier: BSD-3-Clause */
/* How a job came and what is done with it, with the names that the interface has for that. */
#ifndef JUGGLE_JUGGLED_JOB_STATE_H
#define JUGGLE_JUGGLED_JOB_STATE_H

#include "libjuggle/ground/units.h"

enum job_origin {
    ORIGIN_RULE,    /* the configuration means its processes */
    ORIGIN_REQUEST, /* somebody asked for it */
    ORIGIN_JOIN,    /* its processes joined */
    ORIGINS_COUNT,
};

enum service_job_state {
    SERVICE_JOB_GATHERING, /* the threads are not complete yet */
    SERVICE_JOB_BALANCING,
    SERVICE_JOB_RESTING, /* balancing brings nothing or costs too much: tried again later */
    SERVICE_JOB_STATES_COUNT,
};

const char *job_origin_name(enum job_origin origin);
/* -EINVAL: it is the name of none. */
int job_origin_parse(const char *name, enum job_origin *origin) MUST_CHECK;
const char *service_job_state_name(enum service_job_state state);

#endif
