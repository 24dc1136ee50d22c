/* SPDX-License-Identifier: BSD-3-Clause */
/* The structure that is shared by service_job.c, which keeps a job, and service_job_poll.c,
 * which looks after it. */
#ifndef JUGGLE_JUGGLED_SERVICE_JOB_PARTS_H
#define JUGGLE_JUGGLED_SERVICE_JOB_PARTS_H

#include "juggled/care/balancing.h"
#include "juggled/care/processes.h"
#include "juggled/care/service_job.h"
#include "juggled/care/jobs_shared.h"
#include "juggled/care/trial.h"
#include "juggled/care/worth.h"
#include "libjuggle/job/allowance.h"

/* Length of a rest after balancing did not pay; doubled each time that it does not pay again. */
#define REST_MIN_NS (30 * NSEC_PER_SEC)
#define REST_MAX_NS (600 * NSEC_PER_SEC)
/* A resting job is tried earlier if the number of its threads or of all jobs has changed. That
 * is checked at this interval. */
#define CHANGE_INTERVAL_NS (10 * NSEC_PER_SEC)

/* The load when a rest began: the job is tried again when either number has changed. */
struct load {
    long threads; /* of the job */
    int jobs;     /* of the service */
};

struct service_job {
    const struct jobs_shared *shared;
    char name[JOB_NAME_SIZE];
    uid_t uid;
    enum job_origin origin;
    struct wish wish, asked; /* the wish as it is now, and as it was at first */
    struct processes processes;
    int64_t pruned_ns; /* when ended processes were last removed for a joining one */
    int64_t started_ns;

    struct balancing balancing;
    int64_t judge_ns;
    struct worth worth;
    struct trial trial;

    int turns_ppm, looks_ppm;
    struct allowance looks;
    bool looking;          /* a look has begun... */
    struct allowance look; /* ...and this is its cost so far */
    int living;            /* living threads at the last look */
    bool unrecorded;
    bool resuming; /* its record is that of an earlier service, and names more processes than have
                      been resumed */

    int64_t resume_ns;       /* when the rest ends */
    int64_t change_ns;       /* when to check whether something has changed */
    struct load rested_with; /* the load when the rest began */
    int64_t rest_ns;         /* length of the next rest */
    char reason[JOB_PROBLEM_SIZE];
};

/* Begins its balancing. Errors as job_create. */
int service_job_begin(struct service_job *job, char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;

/* Keeps the job without balancing it until service_job_continue. It is still checked whether it
 * has ended. */
void service_job_hold(struct service_job *job);

/* False for the job of a rule, because the rule finds its processes again, and while the job is
 * being resumed. */
bool service_job_is_recorded(const struct service_job *job);

#endif
