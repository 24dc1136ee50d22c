/* SPDX-License-Identifier: BSD-3-Clause */
/* The jobs of the service: how many each user may have, which job a process is in, and what is
 * due.
 *
 * A job ends with the last of its processes. All functions are called by the service's only
 * thread. The balancers run in threads of their own (libjuggle/job/balancers.h), so that nothing
 * here can delay them. */
#ifndef JUGGLE_JUGGLED_JOBS_H
#define JUGGLE_JUGGLED_JOBS_H

#include "juggled/care/budget.h"
#include "juggled/care/service_job.h"
#include "juggled/care/tally.h"

struct jobs;

struct jobs_limits {
    int jobs_max;
    int jobs_per_user;
    int threads_per_user; /* balanced threads */
    struct budget budget;
};

struct jobs_options {
    int proc_fd;         /* remains the caller's */
    struct store *store; /* NULL: nothing outlives the service */
    /* Serves only its own user. Only then jobs may look for threads that spin: with perf, a
     * fault in a service of all users could show where their programs execute. */
    bool own_user_only;
    /* Called when a job has ended, while it can still be looked at; may be NULL. */
    void (*ended)(void *context, const struct service_job *job);
    void *context;
};

int jobs_create(const struct jobs_options *options, struct jobs **jobs) MUST_CHECK;
/* Releases all jobs; their records stay in the store. */
void jobs_destroy(struct jobs *jobs);
/* Divides the shares of processor time anew if jobs came, went or began to rest, and frees removed
 * jobs. Call it between two turns of the loop; see juggled/care/entries.h. */
void jobs_sweep(struct jobs *jobs);

/* Call it before anything else. */
void jobs_limit(struct jobs *jobs, const struct jobs_limits *limits);

/* Makes a job of the process' user. The request's name is without the user; NULL: the pid.
 * -EEXIST: the user has a job of this name; -EBUSY: the process is in a job; both set *job to
 * that job. -ESRCH: the process has ended, or its pid belongs to another. Other errors set
 * `problem`; -EUSERS: a limit, which `problem` names. */
int jobs_add(struct jobs *jobs, const struct service_job_request *request,
             char problem[JOB_PROBLEM_SIZE], struct service_job **job) MUST_CHECK;

/* Takes a process of the same user into the job, or counts that it joins once more. -ESRCH;
 * -EBUSY: it is in another job; -EUSERS, with `problem` set. */
int jobs_adopt(struct jobs *jobs, struct service_job *job, const struct process *process,
               char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;

/* Takes one joining of the process back. With its last joining the process is released, and with
 * its last process the job. -ESRCH: the process has not joined a job. */
int jobs_leave(struct jobs *jobs, const struct process *process) MUST_CHECK;

/* Releases the job for good. */
void jobs_release(struct jobs *jobs, struct service_job *job);

/* Balances the job anew with another period. Errors as service_job_create. */
int jobs_period(struct jobs *jobs, struct service_job *job, int64_t period_ns,
                char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;

/* Does what is due for all jobs. Call it when jobs_next_ns is due. */
void jobs_poll(struct jobs *jobs, int64_t now_ns);
int64_t jobs_next_ns(const struct jobs *jobs);

/* While paused, nothing is balanced, but jobs come and go. The store keeps the state beyond the
 * service's life. */
void jobs_pause(struct jobs *jobs, bool paused);
bool jobs_are_paused(const struct jobs *jobs);

/* Writes anew what somebody has removed from the store. */
void jobs_keep(struct jobs *jobs);

/* ---- looking ---- */

enum { JOBS_USERS_MAX = 1024 };

/* A user who has jobs, or to whom a limit refused some. */
struct jobs_user {
    uid_t uid;
    int jobs_count, resting_count;
    int threads_count; /* balanced threads */
    int64_t share_ppm; /* share of a processor that balancing them may take */
    int64_t refused_count;
};

/* Fills in the users and returns their number. */
int jobs_users(const struct jobs *jobs, struct jobs_user users[JOBS_USERS_MAX]);

/* The first check of the list that failed, or NULL. */
const char *jobs_fault(const struct jobs *jobs);
int jobs_count(const struct jobs *jobs);
/* Number of jobs that are being looked at in pieces, and of jobs that were released but are not
 * done. */
int jobs_looking(const struct jobs *jobs);
int jobs_leaving(const struct jobs *jobs);
/* Like entries_next. A job that ends meanwhile lives until jobs_sweep. */
struct service_job *jobs_next(const struct jobs *jobs, int *cursor);
/* Finds a job by its full name; NULL if there is none. */
struct service_job *jobs_find(const struct jobs *jobs, const char *job_name);
/* Finds the job to which this process was added; NULL if there is none. Descendants of its
 * processes are not found. */
struct service_job *jobs_find_process(const struct jobs *jobs, const struct process *process);

#endif
