/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the engine share. Internal to engine/. */
#ifndef JUGGLE_ENGINE_STATE_H
#define JUGGLE_ENGINE_STATE_H

#include "libjuggle/engine/engine.h"

#include <pthread.h>
#include <stdatomic.h>

enum { TAKEN_BITS = 64 };

enum engine_thread_state { THREAD_FREE, THREAD_RESERVED, THREAD_LIVE };

struct engine_thread {
    enum engine_thread_state state;
    bool fresh; /* sampled since the domain's last decision */
    struct sample sample;
};

/* What one domain's turn passes from step to step. */
struct turn {
    int first, count; /* processors */
    struct plan plan;
    int *results; /* of plan.moves, 0 or -errno; those that failed are not reported yet: */
    _Atomic int failed_count;
    int64_t *moved; /* by thread: the last plan that moved it, counted in plans_count */
    int64_t plans_count;
    struct sample *samples;
    /* Written by start and decide, read by whoever sleeps until the next turn. */
    _Atomic int64_t next_ns;
    _Atomic int64_t period_ns;
    _Atomic int64_t following_ns;
};

/* Thousands are not placed at once: what the start's plan, in `changes`, has left. */
struct placing {
    bool has_begun, is_under_way;
    int at;           /* the next of its moves */
    int failed_count; /* of those before, in changes.results */
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
    uint64_t *taken;    /* a bit for each index that is not free */
    struct turn *turns; /* by domain */
    struct placing placing;
    bool told_short;     /* the policy was told last that phases are */
    struct turn changes; /* plan buffer of the events that exclude all others */
    pthread_rwlock_t change_lock;
    pthread_mutex_t recorder_lock;
    /* Sums for reports; each is read alone, so relaxed order is enough. */
    _Atomic int64_t rounds_count, migrations_count, moves_failed_count;
    pthread_mutex_t failures_lock;
    struct move_failures failures;
};

/* engine.c: when the domain takes its next turn, for whoever waits for it. */
void turn_announce(struct engine *engine, int domain, int64_t next_ns);

/* threads.c: with the change lock held alone. An index is reserved, then live, then free, and named
 * by who has it: a check that fails is noted. */
void thread_index_release(struct engine *engine, int thread);
/* One of the table, reserved at least, and no further than `last`. */
bool thread_index_holds(struct engine *engine, int thread, enum engine_thread_state last);

/* The next thread of the processor, or -1. Lists ascend: one that led back to where it was would
 * keep its balancer, and all who wait for the lock, for good. */
static inline int thread_after(struct engine *engine, int processor, int thread)
{
    const int next = policy_thread_after(engine->policy, processor, thread);

    if (next < 0 || !HOLDS(&engine->fault, next > thread) ||
        !HOLDS(&engine->fault, next < engine->threads_max))
        return -1;
    return next;
}

/* plan_check.c: whether a plan may be carried out; a check that fails is noted. */
bool plan_check(struct engine *engine, const struct event *event, struct turn *turn);
/* Nothing that came since has moved the thread elsewhere, or given its index to another one. */
bool move_is_wanted(const struct engine *engine, const struct move *move);
/* Whether the turn's arrays have room for the moves of its plan. */
bool plan_fits(struct engine *engine, struct turn *turn);
bool domain_holds(struct engine *engine, int domain);
bool processor_holds(struct engine *engine, int processor);

#endif
