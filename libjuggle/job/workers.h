/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the threads that were found are the program's workers. Pure.
 *
 * A thread is judged by its demand. Helpers (mpirun, progress threads, a master that only waits)
 * demand next to nothing. Nothing is final: a helper that begins to run joins, a worker that sleeps
 * for long leaves.
 *
 * Indexes are the roster's. After each scan: workers_observe for every thread, then workers_decide.
 * Until the set is complete there should be a scan every DEMAND_EVIDENCE_NS at least. */
#ifndef JUGGLE_JOB_WORKERS_H
#define JUGGLE_JOB_WORKERS_H

#include "libjuggle/job/demand.h"
#include "libjuggle/job/roster.h"

/* With an expected count, the set is complete when that many threads work, and no other seems about
 * to or none has begun to work for this long; then the newest are taken, because launchers come
 * first. Without one, it is complete when those that work are a team (threads of one process, alike
 * in name, that do not pause), or when none has begun to work for this long. */
#define WORKERS_SETTLE_NS (100 * NSEC_PER_MSEC)
/* If there are fewer than expected, those that work this long after the last arrival are balanced.
 * Others may still join. */
#define WORKERS_PATIENCE_NS (2 * NSEC_PER_SEC)

/* Without an expected count a worker leaves when it has been idle for WORKERS_PAUSE_SHARE times the
 * time that it worked before, within these bounds. */
#define WORKERS_PAUSE_SHARE 10
#define WORKERS_IDLE_MIN_NS (500 * NSEC_PER_MSEC)
#define WORKERS_IDLE_NS     (10 * NSEC_PER_SEC)
/* With an expected count, when all places are taken, a worker gives way to a thread that has
 * demanded more in all, if the worker has been idle for DEMAND_PAUSE_NS, or demands less than half
 * of what the other does. */

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
    void (*left)(void *context, int index); /* alive, but no longer a worker */
    void *context;
};

struct workers;

int workers_create(const struct workers_options *options, struct workers **workers) MUST_CHECK;
void workers_destroy(struct workers *workers);

/* The check that failed first, or NULL. */
const char *workers_fault(const struct workers *workers);

/* A thread that is no older than `age_ns` has arrived. */
void workers_arrived(struct workers *workers, int index, const struct thread_info *info,
                     int64_t age_ns, int64_t now_ns);
void workers_renamed(struct workers *workers, int index, const struct thread_info *info);
/* A thread has ended; the listener is not told. */
void workers_exited(struct workers *workers, int index);

/* Never a worker from now on: the program placed it itself, or it is not ours to move. */
void workers_refuse(struct workers *workers, int index);

void workers_observe(struct workers *workers, int index, const struct thread_info *info,
                     int64_t now_ns);
void workers_decide(struct workers *workers, int64_t now_ns,
                    const struct workers_listener *listener);

/* True once the set was complete: balancing may start. No thread joins before. Unless one thread is
 * expected, a single worker makes no set, because there is nothing to balance yet. */
bool workers_complete(const struct workers *workers);
/* The number of threads whose names match. */
int workers_named(const struct workers *workers);
/* The number of threads that demand as much as a worker, whether they are workers or not; of all
 * that may work, if idle threads are set aside by number. */
int workers_wanting(const struct workers *workers);
/* True if the set is not complete yet, and some threads demand as much as a worker, but not for
 * long enough: the next look should be soon. */
bool workers_rising(const struct workers *workers);
/* True if the set is not complete yet, fewer threads work than are expected, and the last arrival
 * was recent: a thread that is done and waits for the others may work again at any time. */
bool workers_missing(const struct workers *workers);
/* When the set may be complete, or more may be known, if all threads go on as they do; INT64_MAX:
 * something has to change. */
int64_t workers_due_ns(const struct workers *workers);

#endif
