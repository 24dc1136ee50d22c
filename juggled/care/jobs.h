/* SPDX-License-Identifier: BSD-3-Clause */
/* The jobs of the service: who may have how many, which process is in which, and
 * what is due.
 *
 * A job ends with the last of its processes. All calls are the service's one thread's; what
 * balances runs in threads of its own (libjuggle/job/balancers.h), so that nothing here can delay
 * it. */
#ifndef JUGGLE_JUGGLED_JOBS_H
#define JUGGLE_JUGGLED_JOBS_H

#include "juggled/care/budget.h"
#include "juggled/care/service_job.h"
#include "juggled/care/tally.h"

struct jobs;

struct jobs_limits {
    int jobs_max;
    int jobs_per_user;
    int threads_per_user; /* that are balanced */
    struct budget budget;
};

struct jobs_options {
    int proc_fd;         /* stays the caller's */
    struct store *store; /* NULL: nothing outlives the service */
    /* Perf would let a fault in a service of all users read where their programs are. */
    bool own_user_only;
    /* Told of a job that has ended while it can still be looked at; NULL: nobody. */
    void (*ended)(void *context, const struct service_job *job);
    void *context;
};

int jobs_create(const struct jobs_options *options, struct jobs **jobs) MUST_CHECK;
/* Lets go of all; what the store has recorded stays there. */
void jobs_destroy(struct jobs *jobs);
/* Between two turns of the loop: see juggled/care/entries.h. */
void jobs_sweep(struct jobs *jobs);

/* Before anything else. */
void jobs_limit(struct jobs *jobs, const struct jobs_limits *limits);

/* Makes a job of the process' user. The request's name is without the user, NULL: after the
 * process. -EEXIST: the user has one of this name; -EBUSY: the process is in a job, both told by
 * *job; -ESRCH: it is gone, or another has its number; others after setting the problem: -EUSERS
 * a limit, which that names. */
int jobs_add(struct jobs *jobs, const struct service_job_request *request,
             char problem[JOB_PROBLEM_SIZE], struct service_job **job) MUST_CHECK;

/* Takes a process of the same user into the job, or counts that it joins once more. -ESRCH;
 * -EBUSY: it is in another job; -EUSERS after setting the problem. */
int jobs_adopt(struct jobs *jobs, struct service_job *job, const struct process *process,
               char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;

/* Takes one joining of the process back; lets go of it with the last, and of a job without
 * processes. -ESRCH: it has joined none. */
int jobs_leave(struct jobs *jobs, const struct process *process) MUST_CHECK;

/* Lets go of the job, for good. */
void jobs_release(struct jobs *jobs, struct service_job *job);

/* Balances the job anew with another period. As service_job_create. */
int jobs_period(struct jobs *jobs, struct service_job *job, int64_t period_ns,
                char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;

/* Does what is due for all jobs, at jobs_next_ns or earlier. */
void jobs_poll(struct jobs *jobs, int64_t now_ns);
int64_t jobs_next_ns(const struct jobs *jobs);

/* Nothing is balanced while it is paused; jobs come and go all the same. It outlives the
 * service. */
void jobs_pause(struct jobs *jobs, bool paused);
bool jobs_are_paused(const struct jobs *jobs);

/* What the store has lost of them is there again. */
void jobs_keep(struct jobs *jobs);

/* ---- looking ---- */

enum { JOBS_USERS_MAX = 1024 };

/* One who has jobs, or was refused some. */
struct jobs_user {
    uid_t uid;
    int jobs_count, resting_count;
    int threads_count; /* that are balanced */
    int64_t share_ppm; /* of a processor, that balancing them may take */
    int64_t refused_count;
};

/* Returns how many there are in `users`. */
int jobs_users(const struct jobs *jobs, struct jobs_user users[JOBS_USERS_MAX]);

/* The check of the list that failed first, or NULL. */
const char *jobs_fault(const struct jobs *jobs);
int jobs_count(const struct jobs *jobs);
/* Those that are looked at in pieces now, and those that were let go of and are not done with. */
int jobs_looking(const struct jobs *jobs);
int jobs_leaving(const struct jobs *jobs);
/* As entries_next: a job that ends meanwhile lives until jobs_sweep. */
struct service_job *jobs_next(const struct jobs *jobs, int *cursor);
/* By its full name; NULL if there is none. */
struct service_job *jobs_find(const struct jobs *jobs, const char *job_name);
/* That this very process was added to; NULL if there is none. Its descendants are not known
 * here. */
struct service_job *jobs_find_process(const struct jobs *jobs, const struct process *process);

#endif
