/* SPDX-License-Identifier: BSD-3-Clause */
/* What service_job.c, which keeps a job, and service_job_poll.c, which looks after it, both
 * know. */
#ifndef JUGGLE_JUGGLED_SERVICE_JOB_PARTS_H
#define JUGGLE_JUGGLED_SERVICE_JOB_PARTS_H

#include "juggled/care/balancing.h"
#include "juggled/care/processes.h"
#include "juggled/care/service_job.h"
#include "juggled/care/surroundings.h"
#include "juggled/care/trial.h"
#include "juggled/care/worth.h"
#include "libjuggle/job/allowance.h"

/* Back-off after balancing did not pay: doubled each time that it does not pay again. */
#define REST_MIN_NS (30 * NSEC_PER_SEC)
#define REST_MAX_NS (600 * NSEC_PER_SEC)
/* It is tried earlier when its threads or the number of jobs changed, but not at every change. */
#define CHANGE_INTERVAL_NS (10 * NSEC_PER_SEC)

/* A resting job is tried again when either number has changed. */
struct load {
    long threads; /* of the job */
    int jobs;     /* of the service */
};

struct service_job {
    const struct surroundings *surroundings;
    char name[JOB_NAME_SIZE];
    uid_t uid;
    enum job_origin origin;
    struct wish wish, asked; /* as it is now, and as it was at first */
    struct processes processes;
    int64_t pruned_ns; /* when those that had ended were forgotten for one that came */
    int64_t started_ns;

    struct balancing balancing;
    int64_t judge_ns;
    struct worth worth;
    struct trial trial;

    int turns_ppm, looks_ppm;
    struct allowance looks;
    bool looking;          /* it has begun... */
    struct allowance look; /* ...and not been paid for */
    int living;            /* threads, at the last look */
    bool unrecorded;
    bool resuming; /* its record is an earlier service's, with more processes than are here yet */

    int64_t resume_ns;       /* while it rests */
    int64_t change_ns;       /* and when to look whether something has changed */
    struct load rested_with; /* what there was then */
    int64_t rest_ns;         /* for how long next time */
    char reason[JOB_PROBLEM_SIZE];
};

/* Begins its balancing. As job_create. */
int service_job_begin(struct service_job *job, char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;

/* In charge, but not balanced before service_job_continue; whether it has ended is seen all the
 * same. */
void service_job_hold(struct service_job *job);

/* A rule finds its processes again: the store need not. */
bool service_job_is_recorded(const struct service_job *job);

#endif
