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

/* Before parts_start, and outlived by the parts. -ENOMEM. */
int admission_create(struct parts *parts, const struct job_options *options,
                     struct admission **admission) MUST_CHECK;
void admission_destroy(struct admission *admission);

/* Whether no other balancer has the process. */
bool admission_may_take(struct admission *admission, pid_t pid);

/* Looks at the program and takes in who works. Errors as of discovery_scan_until. The first is a
 * whole look, begun anew; the second stops at until_ns with -EAGAIN and goes on when called again.
 */
int admission_scan(struct admission *admission, int64_t now_ns) MUST_CHECK;
int admission_scan_until(struct admission *admission, int64_t now_ns, int64_t until_ns) MUST_CHECK;
bool admission_is_looking(const struct admission *admission);
/* The next look begins anew. */
void admission_abandon(struct admission *admission);
/* A last look, to know who has ended: nobody is taken any more. What it has not reached at that
 * time is told of as it was. */
void admission_close(struct admission *admission, int64_t now_ns, int64_t until_ns);

/* Lets go of threads that the program has placed itself. False: of those that there was time
 * for. */
bool admission_check(struct admission *admission, int64_t now_ns, int64_t until_ns);

/* Looks after threads that the program had placed: takes those that it has let go of, in pieces.
 * Due at admission_next_ns. */
void admission_retry(struct admission *admission, int64_t now_ns, int64_t until_ns);
int64_t admission_next_ns(const struct admission *admission);

/* Lets go of all whom the engine balances, and takes the same again, with another one; and those
 * for whom one processor was too few. */
void admission_suspend(struct admission *admission);
void admission_resume(struct admission *admission, int64_t now_ns);

/* The thread of an index of the engine. -ENOENT. From observers of the engine, too. */
int admission_thread(const struct admission *admission, int engine_index,
                     struct job_thread *thread) MUST_CHECK;

/* A check that has failed, of its own or of the parts, or NULL. While the engine runs. */
const char *admission_fault(const struct admission *admission);

/* There has been a guardian since threads were to be taken. */
bool admission_is_guarded(const struct admission *admission);

/* What could not be balanced so far. */
const struct shortfall *admission_shortfall(const struct admission *admission);

/* All threads of the program, up to the last look. */
const struct program_times *admission_times(const struct admission *admission);

/* All who are or were balanced; while the engine runs, as it sees them now. */
const struct members *admission_members(struct admission *admission);

#endif
