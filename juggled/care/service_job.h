/* SPDX-License-Identifier: BSD-3-Clause */
/* One job of the service: its user, how it came, its processes, and whether it is balanced or
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
struct jobs_shared;

struct service_job_request {
    enum job_origin origin;
    const char *name; /* "UID/NAME" */
    const struct process *process;
    const struct wish *wish;
    bool resuming; /* it has a record, which is not changed until service_job_resumed */
};

/* Makes and balances a job. The caller adds it to `shared`, which must outlive it.
 * -ENOMEM, -ESRCH; others as job_create. */
int service_job_create(const struct jobs_shared *shared, const struct service_job_request *request,
                       char problem[JOB_PROBLEM_SIZE], struct service_job **job) MUST_CHECK;
/* Ends its balancing. Its record stays in the store. */
void service_job_destroy(struct service_job *job);

/* Ends its balancing for good. The job can still be looked at. */
void service_job_end(struct service_job *job);

/* Write its record as the job is now; the same once the job has been resumed; remove it, with
 * the table of masks. */
void service_job_record(struct service_job *job);
void service_job_resumed(struct service_job *job);
void service_job_forget(const struct service_job *job);
/* Writes anew what somebody has removed from the store. If that was its table of masks, ends the
 * balancing and begins it with a new table. */
void service_job_keep(struct service_job *job);

/* Forgets the processes that have ended. */
void service_job_prune(struct service_job *job);
bool service_job_has(struct service_job *job, const struct process *process);

/* Adds a process, or counts that it joins once more. -ESRCH, -ENOSPC. */
int service_job_adopt(struct service_job *job, const struct process *process) MUST_CHECK;

/* Takes one joining of a process of the job back. False if no process is left. */
bool service_job_leave(struct service_job *job, const struct process *process) MUST_CHECK;

/* Balances it anew with another period. Errors as service_job_create. */
int service_job_period(struct service_job *job, int64_t period_ns,
                       char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;

/* Sets the shares of a processor that its balancers, and looking after it, may take: see
 * budget.h. */
void service_job_limit(struct service_job *job, int turns_ppm, int looks_ppm);

/* Ends its balancing for a while, and logs the reason. */
void service_job_rest(struct service_job *job, int64_t now_ns, const char *why);

/* Ends its balancing until service_job_continue, because the service is paused. */
void service_job_pause(struct service_job *job);
void service_job_continue(struct service_job *job);

/* Does what is due, if service_job_next_ns is due. False if the job has ended. */
bool service_job_poll(struct service_job *job, int64_t now_ns) MUST_CHECK;
int64_t service_job_next_ns(const struct service_job *job);

/* ---- looking ---- */

const char *service_job_name(const struct service_job *job);
uid_t service_job_uid(const struct service_job *job);
enum job_origin service_job_origin(const struct service_job *job);
enum service_job_state service_job_state(const struct service_job *job);
/* Why it rests, in words; empty if it does not. */
const char *service_job_reason(const struct service_job *job);
/* The wish with which the job came; service_job_period does not change it. */
const struct wish *service_job_wish(const struct service_job *job);
int service_job_processes(const struct service_job *job, const struct process **processes);
int64_t service_job_elapsed_ns(const struct service_job *job, int64_t now_ns);
void service_job_statistics(struct service_job *job, struct job_statistics *statistics);
/* As balancing_threads: while the job rests or after its end, the threads as they were last. */
struct job_thread *service_job_threads(const struct service_job *job, int *count);
/* The quota of the control group of its first process. Zeros if there is no quota or no such
 * group. */
struct usage_quota service_job_quota(const struct service_job *job);

/* True if a look at it has begun and not ended. */
bool service_job_is_looking(const struct service_job *job);
/* Number of living balanced threads at the last look. */
int service_job_living(const struct service_job *job);

#endif
