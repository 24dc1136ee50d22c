/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The jobs that the service has in charge: whose they are, how they came, and the balancing of
 * each.
 *
 * A job is named UID/NAME. It begins with one process, takes in others that join, and ends with the
 * last of them. All calls are the service's one thread's; what balances runs in threads of its own
 * (libjuggle/balancers.h), so that nothing here can delay it.
 */
#ifndef JUGGLE_SERVICE_JOBS_H
#define JUGGLE_SERVICE_JOBS_H

#include "juggle/service/process.h"
#include "juggle/service/store.h"
#include "juggle/service/wish.h"
#include "juggle/service/worth.h"
#include "libjuggle/job.h"

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
};

enum {
    JOB_NAME_SIZE = 64, /* "UID/NAME" */
    JOB_PROCESSES_MAX = 512,
};

struct charge;
struct jobs;

struct jobs_options {
    int proc_fd;         /* stays the caller's */
    struct store *store; /* NULL: nothing outlives the service */
    int jobs_max;
    int jobs_per_user;
    /* Told of a job that has ended while it can still be looked at; NULL: nobody. */
    void (*ended)(void *context, const struct charge *charge);
    void *context;
};

int jobs_create(const struct jobs_options *options, struct jobs **jobs) MUST_CHECK;
/* Lets go of all; what the store has recorded stays there. */
void jobs_destroy(struct jobs *jobs);

void jobs_limit(struct jobs *jobs, int jobs_max, int jobs_per_user);

struct jobs_request {
    enum job_origin origin;
    const char *name; /* without the user; NULL: after its first process */
    const struct process *process;
    const struct wish *wish;
};

/*
 * Makes a job of the process' user. -EEXIST: the user has one of this name; -EBUSY: the process is
 * in a job, both told by *charge; -ESRCH: it is gone, or another has its number; -EUSERS: the
 * user has too many; -ENOSPC: there are too many; others after setting the problem.
 */
int jobs_add(struct jobs *jobs, const struct jobs_request *request, char problem[JOB_PROBLEM_SIZE],
             struct charge **charge) MUST_CHECK;

/* Takes a process of the same user into the job, or counts that it joins once more. -ESRCH,
 * -ENOSPC; -EBUSY: it is in another job. */
int jobs_adopt(struct jobs *jobs, struct charge *charge, const struct process *process) MUST_CHECK;

/* Takes one joining of the process back; lets go of it with the last, and of a job without
 * processes. -ESRCH: it has joined none. */
int jobs_leave(struct jobs *jobs, pid_t pid) MUST_CHECK;

/* Lets go of the job, for good. */
void jobs_release(struct jobs *jobs, struct charge *charge);

/* Balances anew with another period. As job_create. */
int jobs_period(struct jobs *jobs, struct charge *charge, int64_t period_ns,
                char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;

/* Does what is due for all jobs, at jobs_next_ns or earlier. */
void jobs_poll(struct jobs *jobs, int64_t now_ns);
int64_t jobs_next_ns(const struct jobs *jobs);

/* Takes up the jobs of the store again whose processes still live. Returns how many. */
int jobs_resume(struct jobs *jobs);

/* ---- looking ---- */

int jobs_count(const struct jobs *jobs);
struct charge *jobs_at(const struct jobs *jobs, int index);
/* By its full name; NULL if there is none. */
struct charge *jobs_find(const struct jobs *jobs, const char *job);
/* That this very process was added to; NULL if there is none. Its descendants are not known here.
 */
struct charge *jobs_find_process(const struct jobs *jobs, pid_t pid);

const char *charge_job(const struct charge *charge);
uid_t charge_uid(const struct charge *charge);
enum job_origin charge_origin(const struct charge *charge);
enum charge_state charge_state(const struct charge *charge);
/* Why it rests, in words; empty if it does not. */
const char *charge_reason(const struct charge *charge);
const struct wish *charge_wish(const struct charge *charge);
int charge_processes(const struct charge *charge, const struct process **processes);
int64_t charge_elapsed_ns(const struct charge *charge, int64_t now_ns);
void charge_statistics(struct charge *charge, struct job_statistics *statistics);
/* As job_threads; of a job that rests or has ended: when it was balanced last. */
int charge_threads(struct charge *charge, struct job_thread *threads, int threads_max);

const char *job_origin_name(enum job_origin origin);
const char *charge_state_name(enum charge_state state);

#endif
