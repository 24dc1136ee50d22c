/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of the threads that were found are the program's workers. Pure.
 *
 * A thread is judged by its demand: the share of time in which it ran or waited to run. Helpers
 * (mpirun, progress threads, a master that only waits) demand next to nothing. Nothing is final: a
 * helper that begins to run joins, a worker that sleeps for long leaves.
 *
 * Indexes are the roster's. After each scan: workers_observe for every thread, then workers_decide.
 * Until the set is complete there should be a scan every WORKERS_EVIDENCE_NS at least.
 */
#ifndef JUGGLE_JOB_WORKERS_H
#define JUGGLE_JOB_WORKERS_H

#include "libjuggle/job/roster.h"

/* Demand is measured over windows of this length. A worker demands at least this share of one... */
#define WORKERS_WINDOW_NS  (50 * NSEC_PER_MSEC)
#define WORKERS_DEMAND_MIN 0.25
/* ...and this much: it is believed as soon as it has... */
#define WORKERS_EVIDENCE_NS (10 * NSEC_PER_MSEC)
/* ...if it has also run for so long in all: on a busy machine helpers wait, too. Less than one time
 * slice, for which each of many threads waits long. */
#define WORKERS_RUN_MIN_NS (3 * NSEC_PER_MSEC)

/* With an expected count the set is complete when so many work and no other seems about to; the
 * newest are taken then, for launchers come first. Without one, or when there is always another, it
 * is when none has begun to work for this long. */
#define WORKERS_SETTLE_NS (100 * NSEC_PER_MSEC)
/* If there are fewer than expected, those that work so long after the last arrival are all. */
#define WORKERS_PATIENCE_NS (10 * NSEC_PER_SEC)

/* A worker that demands less than this share is idle. Without an expected count it leaves when it
 * has been for so many times what it worked before, within bounds... */
#define WORKERS_DEMAND_IDLE 0.05
#define WORKERS_PAUSE_SHARE 10
#define WORKERS_IDLE_MIN_NS (500 * NSEC_PER_MSEC)
#define WORKERS_IDLE_NS     (10 * NSEC_PER_SEC)
/* ...and with one, when all places are taken, it gives way to one that has demanded more in all:
 * when it has been idle for so long, or demands less than half of what the other does. */
#define WORKERS_YIELD_NS (200 * NSEC_PER_MSEC)

enum { WORKERS_IDLE_AUTO = -1 };

struct workers_options {
    int expected;          /* 0: however many there are */
    int idle;              /* threads to set aside, those with the least demand; or AUTO */
    const char *idle_comm; /* fnmatch patterns on the name of the thread, or NULL */
    const char *match;
    int threads_max;
};

/* Told by workers_decide; must not call it. */
struct workers_listener {
    void (*joined)(void *context, int index);
    void (*left)(void *context, int index); /* alive, but a worker no more */
    void *context;
};

struct workers;

int workers_create(const struct workers_options *options, struct workers **workers) MUST_CHECK;
void workers_destroy(struct workers *workers);

void workers_arrived(struct workers *workers, int index, const struct thread_info *info,
                     int64_t now_ns);
void workers_renamed(struct workers *workers, int index, const struct thread_info *info);
/* The listener is not told of this one. */
void workers_exited(struct workers *workers, int index);

/* Never a worker from now on: the program placed it itself, or it is not ours to move. */
void workers_refuse(struct workers *workers, int index);

void workers_observe(struct workers *workers, int index, const struct thread_info *info,
                     int64_t now_ns);
void workers_decide(struct workers *workers, int64_t now_ns,
                    const struct workers_listener *listener);

/* The set was complete once: balancing may start. Nobody joins before. A single worker makes no set
 * unless one is expected: there is nothing to balance yet. */
bool workers_complete(const struct workers *workers);
/* Those that demand what a worker does, whether they are one or not. */
int workers_wanting(const struct workers *workers);
/* It is not yet complete, and some demand what a worker does, but not for long enough: the next
 * look should be soon. */
bool workers_rising(const struct workers *workers);
/* When the set will be complete if nothing changes until then; INT64_MAX: something has to. */
int64_t workers_due_ns(const struct workers *workers);
int workers_count(const struct workers *workers);
bool workers_has(const struct workers *workers, int index);

#endif
