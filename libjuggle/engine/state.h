/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the engine and the functions that its files share. Internal to engine/. */
#ifndef JUGGLE_ENGINE_STATE_H
#define JUGGLE_ENGINE_STATE_H

#include "libjuggle/engine/engine.h"

#include <pthread.h>
#include <stdatomic.h>

enum engine_thread_state { THREAD_FREE, THREAD_RESERVED, THREAD_LIVE };

struct engine_thread {
    enum engine_thread_state state;
    bool fresh; /* sampled since the domain's last decision */
    struct sample sample;
};

/* The data that the turn of a domain passes from step to step. */
struct turn {
    int first, count; /* processors */
    struct plan plan;
    int *results;             /* of plan.moves: 0 or -errno */
    _Atomic int failed_count; /* moves that failed and are not reported to the policy yet */
    int64_t *moved;           /* by thread: plans_count at the last plan that moved it */
    int64_t plans_count;
    struct sample *samples;
    /* Written by start and decide, read by balancers that sleep until the next turn. */
    _Atomic int64_t next_ns;
    _Atomic int64_t period_ns;
    _Atomic int64_t following_ns;
};

/* The first placement, in pieces, because there may be thousands of threads: how far it is with the
 * plan of the start, which is in `changes`. */
struct placing {
    bool has_begun, is_under_way;
    int at;           /* the next move of that plan */
    int failed_count; /* of the moves before: their threads are in changes.results */
    int64_t next_ns;  /* when the first turns are due */
};

struct engine {
    struct machine machine;
    struct ports ports;
    struct engine_recorder recorder;
    struct fault fault;
    int threads_max;
    struct policy *policy;
    void *policy_memory;
    struct engine_thread *threads;
    int free_from;      /* no index below is free */
    struct turn *turns; /* by domain */
    struct placing placing;
    bool told_short;     /* what the policy was told last: phases are short */
    struct turn changes; /* plan buffer of events that exclude all others */
    pthread_rwlock_t change_lock;
    pthread_mutex_t recorder_lock;
    /* Sums for reports; each is read alone, so relaxed order is enough. */
    _Atomic int64_t rounds_count, migrations_count, moves_failed_count;
    pthread_mutex_t failures_lock;
    struct move_failures failures;
};

/* In engine.c: sets when the domain takes its next turn, for balancers that wait for it. */
void turn_announce(struct engine *engine, int domain, int64_t next_ns);

/* In threads.c, with the change lock held for writing. An index is reserved, then live, then free;
 * a check that fails is noted. */
void thread_index_release(struct engine *engine, int thread);
/* Checks that the index is in the table, and its state at least THREAD_RESERVED and at most
 * `last`. */
bool thread_index_holds(struct engine *engine, int thread, enum engine_thread_state last);

/* The next thread of the processor, or -1. Lists ascend, and that is checked: a list that led back
 * to where it was would keep its balancer, and all threads that wait for the lock, for good. */
static inline int thread_after(struct engine *engine, int processor, int thread)
{
    const int next = policy_thread_after(engine->policy, processor, thread);

    if (next < 0 || !HOLDS(&engine->fault, next > thread) ||
        !HOLDS(&engine->fault, next < engine->threads_max))
        return -1;
    return next;
}

/* In plan_check.c: true if a plan may be carried out; a check that fails is noted. */
bool plan_check(struct engine *engine, const struct event *event, struct turn *turn);
/* True if no later plan has moved the thread elsewhere, and its index is not another one's. */
bool move_is_wanted(const struct engine *engine, const struct move *move);
/* Drops the moves of the plan if the turn's arrays have no room for them; true if there are any. */
bool plan_clip(struct engine *engine, struct turn *turn);
bool domain_holds(struct engine *engine, int domain);
bool processor_holds(struct engine *engine, int processor);

#endif
