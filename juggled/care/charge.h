/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One job in charge: whose it is, how it came, its processes, and whether it is balanced or rests.
 *
 * It is named UID/NAME and begins with one process. It rests while balancing brings nothing or
 * costs too much, and is tried again later.
 */
#ifndef JUGGLE_JUGGLED_CHARGE_H
#define JUGGLE_JUGGLED_CHARGE_H

#include "juggled/care/process.h"
#include "juggled/care/standing.h"
#include "juggled/care/store.h"
#include "libjuggle/job/job.h"
#include "libjuggle/wish/wish.h"

enum { JOB_NAME_SIZE = 64 }; /* "UID/NAME" */

struct charge;
struct neighborhood;

struct charge_request {
    enum job_origin origin;
    const char *name; /* "UID/NAME" */
    const struct process *process;
    const struct wish *wish;
    bool resuming; /* it has a record, which stays as it is until charge_resumed */
};

/* Balances the job of a process, which is not among its neighbors yet; they outlive it. -ENOMEM,
 * -ESRCH; as job_create. */
int charge_create(const struct neighborhood *neighborhood, const struct charge_request *request,
                  char problem[JOB_PROBLEM_SIZE], struct charge **charge) MUST_CHECK;
/* Ends its balancing. What the store has recorded stays there. */
void charge_destroy(struct charge *charge);

/* Ends its balancing for good, and is still looked at. */
void charge_end(struct charge *charge);

/* In the store, as it is now. */
void charge_record(struct charge *charge);
void charge_resumed(struct charge *charge);
void charge_forget(const struct charge *charge);
/* What the store has lost of it is there again: for its table of masks it is balanced anew. */
void charge_keep(struct charge *charge);

/* Forgets the processes that have ended. */
void charge_prune(struct charge *charge);
bool charge_has(struct charge *charge, const struct process *process);

/* Takes a process in, or counts that it joins once more. -ESRCH, -ENOSPC. */
int charge_adopt(struct charge *charge, const struct process *process) MUST_CHECK;

/* Takes one joining of a process that it has back. False if none is left. */
bool charge_leave(struct charge *charge, const struct process *process) MUST_CHECK;

/* Balances anew with another period. As charge_create. */
int charge_period(struct charge *charge, int64_t period_ns,
                  char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;

/* What its balancers may take of a processor, and what looking after it may: see budget.h. */
void charge_limit(struct charge *charge, int turns_ppm, int looks_ppm);

/* Not balanced for a while, which is told with the reason. */
void charge_rest(struct charge *charge, int64_t now_ns, const char *why);

/* Not balanced until charge_continue, while its neighborhood is paused. */
void charge_pause(struct charge *charge);
void charge_continue(struct charge *charge);

/* Does what is due, at charge_next_ns or earlier. False if the job has ended. */
bool charge_poll(struct charge *charge, int64_t now_ns) MUST_CHECK;
int64_t charge_next_ns(const struct charge *charge);

/* ---- looking ---- */

const char *charge_job(const struct charge *charge);
uid_t charge_uid(const struct charge *charge);
enum job_origin charge_origin(const struct charge *charge);
enum charge_state charge_state(const struct charge *charge);
/* Why it rests, in words; empty if it does not. */
const char *charge_reason(const struct charge *charge);
/* As it was taken in charge, whatever period was asked for since. */
const struct wish *charge_wish(const struct charge *charge);
int charge_processes(const struct charge *charge, const struct process **processes);
int64_t charge_elapsed_ns(const struct charge *charge, int64_t now_ns);
void charge_statistics(struct charge *charge, struct job_statistics *statistics);
/* As job_threads; of a job that rests or has ended: when it was balanced last. */
int charge_threads(struct charge *charge, struct job_thread *threads, int threads_max);

/* A look at it has begun and not ended. */
bool charge_is_looking(const struct charge *charge);
/* Threads that were balanced when it was last looked after. */
int charge_living(const struct charge *charge);

#endif
