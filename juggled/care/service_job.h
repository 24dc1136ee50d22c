/* SPDX-License-Identifier: BSD-3-Clause */
/* One job of the service: whose it is, how it came, its processes, and whether it is balanced or
 * rests.
 *
 * It is named UID/NAME and begins with one process. It rests while balancing brings nothing or
 * costs too much, and is tried again later. */
#ifndef JUGGLE_JUGGLED_SERVICE_JOB_H
#define JUGGLE_JUGGLED_SERVICE_JOB_H

#include "juggled/care/process.h"
#include "juggled/care/job_state.h"
#include "juggled/care/store.h"
#include "libjuggle/job/job.h"
#include "libjuggle/linux/usage.h"
#include "libjuggle/wish/wish.h"

enum { JOB_NAME_SIZE = 64 }; /* "UID/NAME" */

struct service_job;
struct surroundings;

struct service_job_request {
    enum job_origin origin;
    const char *name; /* "UID/NAME" */
    const struct process *process;
    const struct wish *wish;
    bool resuming; /* it has a record, which stays as it is until service_job_resumed */
};

/* Balances the job of a process, which is not among its neighbors yet; they outlive it. -ENOMEM,
 * -ESRCH; as job_create. */
int service_job_create(const struct surroundings *surroundings,
                       const struct service_job_request *request, char problem[JOB_PROBLEM_SIZE],
                       struct service_job **job) MUST_CHECK;
/* Ends its balancing. What the store has recorded stays there. */
void service_job_destroy(struct service_job *job);

/* Ends its balancing for good, and is still looked at. */
void service_job_end(struct service_job *job);

/* In the store, as it is now. */
void service_job_record(struct service_job *job);
void service_job_resumed(struct service_job *job);
void service_job_forget(const struct service_job *job);
/* Writes again what the store has lost of it. Where that was its table of masks, the job is stopped
 * and started again with a new one. */
void service_job_keep(struct service_job *job);

/* Forgets the processes that have ended. */
void service_job_prune(struct service_job *job);
bool service_job_has(struct service_job *job, const struct process *process);

/* Takes a process in, or counts that it joins once more. -ESRCH, -ENOSPC. */
int service_job_adopt(struct service_job *job, const struct process *process) MUST_CHECK;

/* Takes one joining of a process that it has back. False if none is left. */
bool service_job_leave(struct service_job *job, const struct process *process) MUST_CHECK;

/* Balances anew with another period. As service_job_create. */
int service_job_period(struct service_job *job, int64_t period_ns,
                       char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;

/* What its balancers may take of a processor, and what looking after it may: see budget.h. */
void service_job_limit(struct service_job *job, int turns_ppm, int looks_ppm);

/* Not balanced for a while, which is told with the reason. */
void service_job_rest(struct service_job *job, int64_t now_ns, const char *why);

/* Not balanced until service_job_continue, while its neighborhood is paused. */
void service_job_pause(struct service_job *job);
void service_job_continue(struct service_job *job);

/* Does what is due, at service_job_next_ns or earlier. False if the job has ended. */
bool service_job_poll(struct service_job *job, int64_t now_ns) MUST_CHECK;
int64_t service_job_next_ns(const struct service_job *job);

/* ---- looking ---- */

const char *service_job_name(const struct service_job *job);
uid_t service_job_uid(const struct service_job *job);
enum job_origin service_job_origin(const struct service_job *job);
enum service_job_state service_job_state(const struct service_job *job);
/* Why it rests, in words; empty if it does not. */
const char *service_job_reason(const struct service_job *job);
/* As it was when the job came, whatever period was asked for since. */
const struct wish *service_job_wish(const struct service_job *job);
int service_job_processes(const struct service_job *job, const struct process **processes);
int64_t service_job_elapsed_ns(const struct service_job *job, int64_t now_ns);
void service_job_statistics(struct service_job *job, struct job_statistics *statistics);
/* As balancing_threads; of a job that rests or has ended: when it was balanced last. */
struct job_thread *service_job_threads(const struct service_job *job, int *count);
/* Of the control group of its first process. Zeros where that has no quota, or has gone. */
struct usage_quota service_job_quota(const struct service_job *job);

/* A look at it has begun and not ended. */
bool service_job_is_looking(const struct service_job *job);
/* Threads that were balanced when it was last looked after. */
int service_job_living(const struct service_job *job);

#endif
