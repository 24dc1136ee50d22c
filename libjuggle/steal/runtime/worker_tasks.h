/* SPDX-License-Identifier: BSD-3-Clause */
/* What one worker has of one collection: its tasks, and the account of what it did with them. */
#ifndef JUGGLE_STEAL_RUNTIME_WORKER_TASKS_H
#define JUGGLE_STEAL_RUNTIME_WORKER_TASKS_H

#include "libjuggle/steal/deque/deque.h"
#include "libjuggle/steal/runtime/record.h"
#include "libjuggle/steal/runtime/rank.h"
#include "libjuggle/steal/runtime/spectrum.h"
#include "libjuggle/steal/runtime/tiers.h"
#include "libjuggle/steal/runtime/timeline.h"

/* Data that only steal_report() uses. */
struct report_data {
    struct timeline timeline;
    int64_t sessions[SPECTRUM_CLASSES];       /* their number, by length */
    int64_t attempts[STEAL_REPORT_DISTANCES]; /* requests of the whole rank by distance of the
                                                 victim, in its first worker's */
};

/* Padded, so that workers do not share cache lines. */
struct worker_tasks {
    /* Its tasks; if they have an order, those that are not sorted yet. */
    _Alignas(DEQUE_LINE) struct deque deque;
    /* The fields that adding a task uses, in one cache line. */
    bool ordered;         /* it has tiers */
    bool kept;            /* its record keeps executed tasks */
    uint32_t reserved;    /* tasks that the open reservation has room for; 0: none is open */
    size_t overcommitted; /* tasks of a commit that was refused as too large; 0: none was */
    void *room;           /* where the open reservation lies */
    int tier;             /* of the open reservation; -1: no tier */
    unsigned char *batch; /* the tasks in execution; NULL before the first ones come */
    size_t batch_size;
    struct record record;     /* if executed tasks are retained */
    _Atomic int64_t executed; /* the server reads it for reports of progress */
    int64_t sessions;
    int64_t session_ns;
    int64_t session_max_ns;
    int64_t session_begin_ns;
    int64_t shares;
    struct tiers tiers;              /* if tasks have an order */
    struct report_data *report_data; /* NULL: a server's, or there are no reports */
};

/* The record has room for the tasks that `workers` workers may hold. The properties must outlive
 * it. To be closed even after a failure. */
int worker_tasks_open(struct worker_tasks *worker_tasks, const struct steal_properties *properties,
                      int workers, bool has_report_data) MUST_CHECK;
void worker_tasks_close(struct worker_tasks *worker_tasks);

/* Begins a new account of what the worker does. `anew`: drops the record of executed tasks, because
 * this process does not go on with one that was stopped. */
void worker_tasks_begin(struct worker_tasks *worker_tasks, struct steal_worker *worker, bool anew,
                        int64_t now_ns);

/* The deque of a tier, or if that is -1 the one that has no order. */
static inline struct deque *worker_tasks_deque(struct worker_tasks *worker_tasks, int tier)
{
    return tier < 0 ? &worker_tasks->deque : &worker_tasks->tiers.deque[tier];
}

/* As deque_reserve() and deque_commit(), of the deque of that tier. */
void *worker_tasks_reserve(struct worker_tasks *worker_tasks, int tier, uint32_t count);
void worker_tasks_commit(struct worker_tasks *worker_tasks, int tier, uint32_t count);

/* Copies tasks to that deque; returns how many it has room for. */
uint32_t worker_tasks_put(struct worker_tasks *worker_tasks, int tier, const void *tasks,
                          uint32_t count);

/* Tasks that are not claimed. Exact for the owner while nobody claims. */
uint32_t worker_tasks_count(const struct worker_tasks *worker_tasks);

/* Tasks that others may claim now. */
uint32_t worker_tasks_shared(const struct worker_tasks *worker_tasks);

/* Which check of its deques has failed; NULL: none. */
const char *worker_tasks_fault(const struct worker_tasks *worker_tasks);

/* Sorts the tasks of the deque into tiers by what is known of them. A task that finds no room in
 * its tier is stashed. -ENOMEM: some are lost. */
int worker_tasks_sort(struct steal_collection *collection,
                      struct worker_tasks *worker_tasks) MUST_CHECK;

/* Takes the tasks of a call from the deque into the worker's batch; returns how many. */
uint32_t worker_tasks_pop(struct worker_tasks *worker_tasks,
                          const struct steal_properties *properties);

/* The same, and executes them, or drops them if the process is canceled. In a pause it takes
 * none. */
uint32_t worker_tasks_work(struct steal_collection *collection, struct steal_worker *worker,
                           struct worker_tasks *worker_tasks);

/* Executes the `count` tasks that lie in the worker's batch. */
void worker_tasks_execute(struct steal_collection *collection, struct steal_worker *worker,
                          struct worker_tasks *worker_tasks, uint32_t count);

/* Begin and end a session: a worker runs dry; it has tasks again, or the process ends. */
void session_begin(struct worker_tasks *worker_tasks, struct steal_worker *worker, int64_t now_ns);
void session_end(struct worker_tasks *worker_tasks, struct steal_worker *worker,
                 enum steal_state next, int64_t now_ns);

#endif
