/* SPDX-License-Identifier: BSD-3-Clause */
/* How a job came and what is done with it, with the names of these in the interface. */
#ifndef JUGGLE_JUGGLED_JOB_STATE_H
#define JUGGLE_JUGGLED_JOB_STATE_H

#include "libjuggle/ground/units.h"

enum job_origin {
    ORIGIN_RULE,    /* its processes match a rule of the configuration */
    ORIGIN_REQUEST, /* a client asked for it */
    ORIGIN_JOIN,    /* its processes joined */
    ORIGINS_COUNT,
};

enum service_job_state {
    SERVICE_JOB_GATHERING, /* the threads are not complete yet */
    SERVICE_JOB_BALANCING,
    SERVICE_JOB_RESTING, /* balancing brings nothing or costs too much; tried again later */
    SERVICE_JOB_STATES_COUNT,
};

const char *job_origin_name(enum job_origin origin);
/* -EINVAL: there is no origin of that name. */
int job_origin_parse(const char *name, enum job_origin *origin) MUST_CHECK;
const char *service_job_state_name(enum service_job_state state);

#endif
