/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which threads are balanced: stands between the roster of all threads that were found, the
 * workers among them, and the indexes of the engine.
 *
 * A thread has up to three numbers here: its index in the roster, its index in the engine while it
 * is balanced, and its index among the members, which outlives it for the report. */
#ifndef JUGGLE_JOB_ADMISSION_H
#define JUGGLE_JOB_ADMISSION_H

#include "libjuggle/job/members.h"
#include "libjuggle/job/parts.h"
#include "libjuggle/job/shortfall.h"
#include "libjuggle/job/tally.h"

struct admission;

/* To be called before parts_start(); keeps the pointer to the parts. -ENOMEM. */
int admission_create(struct parts *parts, const struct job_options *options,
                     struct admission **admission) MUST_CHECK;
void admission_destroy(struct admission *admission);

/* True if no other balancer has claimed the process. */
bool admission_may_take(struct admission *admission, pid_t pid);

/* Looks for the program's threads and takes the workers among them. Errors as of
 * discovery_scan_until(). The first function begins a new look and completes it; the second stops
 * at until_ns with -EAGAIN, and goes on when it is called again. */
int admission_scan(struct admission *admission, int64_t now_ns) MUST_CHECK;
int admission_scan_until(struct admission *admission, int64_t now_ns, int64_t until_ns) MUST_CHECK;
bool admission_is_looking(const struct admission *admission);
/* The next look begins anew. */
void admission_abandon(struct admission *admission);
/* Takes a last look, to learn which threads have ended: none is taken any more. Threads that it has
 * not reached at until_ns are reported in their last known state. */
void admission_close(struct admission *admission, int64_t now_ns, int64_t until_ns);

/* Lets go of threads that the program has placed itself. False: until_ns came before all were
 * checked. */
bool admission_check(struct admission *admission, int64_t now_ns, int64_t until_ns);

/* Tries threads again that the program had placed: takes those that it has let go of, in pieces.
 * Due at admission_next_ns(). */
void admission_retry(struct admission *admission, int64_t now_ns, int64_t until_ns);
int64_t admission_next_ns(const struct admission *admission);

/* admission_suspend() lets go of all threads that the engine balances. admission_resume() takes
 * them again, into another engine, and also workers that were not taken while there was one
 * processor only. */
void admission_suspend(struct admission *admission);
void admission_resume(struct admission *admission, int64_t now_ns);

/* Fills in the thread that has this index in the engine. -ENOENT: none has. Observers of the engine
 * may call it, too. */
int admission_thread(const struct admission *admission, int engine_index,
                     struct job_thread *thread) MUST_CHECK;

/* The check of the admission or of a part that failed, or NULL. Only while the engine runs. */
const char *admission_fault(const struct admission *admission);

/* True once there is a guardian, or the policy needs none: threads may be taken. */
bool admission_is_guarded(const struct admission *admission);

/* Why threads could not be balanced so far. */
const struct shortfall *admission_shortfall(const struct admission *admission);

/* The times of all threads of the program, up to the last look. */
const struct program_times *admission_times(const struct admission *admission);

/* All threads that are or were balanced. While the engine runs, their states are read from it
 * first. */
const struct members *admission_members(struct admission *admission);

#endif
