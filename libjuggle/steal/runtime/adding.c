/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding tasks, by copy or in place. */
#include "libjuggle/steal/runtime/collection.h"

#include "libjuggle/steal/runtime/team.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if the worker may use the collection. The index of a worker is meaningless in a collection
 * of another runtime, which may have fewer workers. */
static inline bool may_meet(const struct steal_worker *worker,
                            const struct steal_collection *collection)
{
    return worker && collection && worker->runtime == collection->runtime;
}

/* Reports why they may not be used together or, if they may, that `what` is NULL. */
static int meet_fail(struct steal_worker *worker, const struct steal_collection *collection,
                     const char *what)
{
    if (!worker)
        return -EINVAL;
    if (collection && worker->runtime != collection->runtime)
        return worker_fail(worker, -EINVAL, "the collection belongs to another runtime");
    return worker_fail(worker, -EINVAL, "%s is NULL", collection ? what : "the collection");
}

static int closed_fail(struct steal_worker *worker)
{
    return worker_fail(worker, -EBUSY,
                       "a task must add tasks through the worker that executes it, not the seeder");
}

/* -EMSGSIZE if the task is too large. */
static inline int size_check(struct steal_worker *worker, const struct steal_collection *collection,
                             size_t size)
{
    if (size <= collection->properties.task_size)
        return 0;
    return worker_fail(worker, -EMSGSIZE, "a task of %zu bytes is larger than task_size, %zu", size,
                       collection->properties.task_size);
}

/* Reports why a reservation failed in a tier, or, if `tier` is below 0, in the deque without
 * order. */
static int reserve_fail(struct steal_worker *worker, struct steal_collection *collection, int tier,
                        size_t count)
{
    struct worker_tasks *worker_tasks = &collection->worker_tasks[worker->index];
    const struct deque *deque;

    if (worker->closed)
        return closed_fail(worker);
    if (worker_tasks->reserved > 0)
        return worker_fail(worker, -EBUSY, "the reservation of %u tasks is not committed",
                           worker_tasks->reserved);
    if (count == 0 || count > STEAL_BATCH_MAX)
        return worker_fail(worker, -EINVAL, "a reservation holds 1 to %d tasks, not %zu",
                           STEAL_BATCH_MAX, count);
    deque = worker_tasks_deque(worker_tasks, tier);
    if (deque_may_grow(deque))
        return worker_fail(worker, -ENOMEM,
                           "no memory for more tasks: the deque holds %u of %zu bytes",
                           deque_count(deque), collection->stride);
    return worker_fail(worker, -ENOSPC,
                       "the deque is full: %u tasks of %zu bytes, memory_max is %zu bytes",
                       deque_count(deque), collection->stride, collection->properties.memory_max);
}

/* Returns the tier of a task that was added without a level or cost; -1 for the deque without
 * order. Tasks of a collection with `retain` go there too while it is not processed itself, because
 * they are sorted when its process starts, by what is known then. */
static int tier_default(const struct steal_worker *worker,
                        const struct steal_collection *collection)
{
    const struct worker_tasks *worker_tasks = &collection->worker_tasks[worker->index];

    if (!worker_tasks->ordered ||
        (worker_tasks->kept && collection->runtime->processing != collection))
        return -1;
    return worker_tasks->tiers.count - 1;
}

static inline bool may_add(const struct steal_worker *worker,
                           const struct worker_tasks *worker_tasks)
{
    return !worker->closed && worker_tasks->reserved == 0;
}

static void *reserve(struct steal_worker *worker, struct steal_collection *collection, size_t count)
{
    struct worker_tasks *worker_tasks = &collection->worker_tasks[worker->index];

    if (!may_add(worker, worker_tasks) || count - 1 >= STEAL_BATCH_MAX)
        return NULL;
    worker_tasks->tier = tier_default(worker, collection);
    return worker_tasks_reserve(worker_tasks, worker_tasks->tier, (uint32_t)count);
}

int steal_reserve(struct steal_worker *worker, struct steal_collection *collection, size_t count,
                  void **tasks)
{
    struct worker_tasks *worker_tasks;
    void *room, *seen;

    if (!may_meet(worker, collection) || !tasks)
        return meet_fail(worker, collection, "tasks");
    worker_tasks = &collection->worker_tasks[worker->index];
    seen = room = reserve(worker, collection, count);
    if (!room)
        return reserve_fail(worker, collection, tier_default(worker, collection), count);
    if (worker_tasks->kept)
        seen = record_draft(&worker_tasks->record);
    if (!seen)
        return worker_fail(worker, -ENOMEM, "no memory for a reservation");
    worker_tasks->reserved = (uint32_t)count;
    worker->reservations++;
    worker_tasks->room = room;
    *tasks = seen;
    worker_succeed(worker);
    return 0;
}

/* Copies a new task into its room, with an empty history behind it. */
static void task_begin(const struct steal_worker *worker, const struct steal_collection *collection,
                       void *room, const void *task, size_t size)
{
    *ledger_history(collection->stride, room) = (struct history){
        .flags = worker == &collection->runtime->seeder ? 0 : HISTORY_NESTED,
    };
    if (size > 0)
        memcpy(room, task, size);
}

/* Reports a commit that is refused. The reservation stays open, so that it can be committed
 * correctly; if that never happens, the failure is reported when the task ends. */
static void commit_refuse(struct steal_worker *worker, struct worker_tasks *worker_tasks,
                          size_t count)
{
    worker_tasks->overcommitted = worker_tasks->reserved > 0 ? count : 0;
    if (worker_tasks->reserved > 0)
        worker_fail(worker, -EINVAL,
                    "steal_commit() of %zu tasks is refused: the reservation has room for %u",
                    count, worker_tasks->reserved);
    else
        worker_fail(worker, -EINVAL, "steal_commit() of %zu tasks: no reservation is open", count);
}

void steal_commit(struct steal_worker *worker, struct steal_collection *collection, size_t count)
{
    struct worker_tasks *worker_tasks;
    size_t task_stride;

    if (!may_meet(worker, collection)) {
        (void)meet_fail(worker, collection, "");
        return;
    }
    worker_tasks = &collection->worker_tasks[worker->index];
    if (count > worker_tasks->reserved) {
        commit_refuse(worker, worker_tasks, count);
        return;
    }
    task_stride = record_task_stride(&collection->properties);
    for (size_t i = 0; i < count && worker_tasks->kept; i++)
        task_begin(worker, collection, (char *)worker_tasks->room + i * collection->stride,
                   worker_tasks->record.draft + i * task_stride, task_stride);
    if (worker_tasks->ordered)
        worker_tasks_commit(worker_tasks, worker_tasks->tier, (uint32_t)count);
    else
        deque_commit(&worker_tasks->deque, (uint32_t)count);
    worker->reservations -= worker_tasks->reserved > 0;
    worker_tasks->reserved = 0;
    worker_tasks->overcommitted = 0;
    if (collection->runtime->team)
        team_share(collection, worker_tasks, 1);
}

/* ---- tasks that have an order --------------------------------------------------------------- */

enum { COST_UNKNOWN = -1 };

struct ordered_task {
    const void *data;
    size_t size;
    int64_t cost;
};

static __attribute__((noinline)) int add_ordered(struct steal_worker *worker,
                                                 struct steal_collection *collection, int tier,
                                                 struct ordered_task task)
{
    struct worker_tasks *worker_tasks = &collection->worker_tasks[worker->index];
    void *room = NULL;

    if (size_check(worker, collection, task.size) < 0)
        return -EMSGSIZE;
    if (may_add(worker, worker_tasks))
        room = worker_tasks_reserve(worker_tasks, tier, 1);
    if (!room)
        return reserve_fail(worker, collection, tier, 1);
    if (worker_tasks->kept) {
        task_begin(worker, collection, room, task.data, task.size);
        if (task.cost != COST_UNKNOWN) {
            ledger_history(collection->stride, room)->predicted_ns = task.cost;
            ledger_history(collection->stride, room)->flags |= HISTORY_COSTED;
        }
    } else if (task.size > 0) {
        memcpy(room, task.data, task.size);
    }
    worker_tasks_commit(worker_tasks, tier, 1);
    if (collection->runtime->team)
        team_share(collection, worker_tasks, 1);
    worker_succeed(worker);
    return 0;
}

int steal_add_level(struct steal_worker *worker, struct steal_collection *collection, int level,
                    const void *task, size_t size)
{
    const struct tiers *tiers;

    if (!may_meet(worker, collection) || (!task && size > 0))
        return meet_fail(worker, collection, "task");
    tiers = &collection->worker_tasks[worker->index].tiers;
    if (level < 0 || level >= collection->properties.levels)
        return worker_fail(worker, -EINVAL, "level %d does not exist: the collection has %d", level,
                           collection->properties.levels);
    if (!tiers->deque)
        return steal_add(worker, collection, task, size);
    return add_ordered(worker, collection, tiers_place(tiers, level, 0),
                       (struct ordered_task){task, size, COST_UNKNOWN});
}

int steal_add_weighted(struct steal_worker *worker, struct steal_collection *collection,
                       int64_t cost, const void *task, size_t size)
{
    int tier;

    if (!may_meet(worker, collection) || (!task && size > 0))
        return meet_fail(worker, collection, "task");
    if (!collection->properties.weighted)
        return worker_fail(worker, -EINVAL, "the collection was created without weighted");
    if (cost < 0)
        return worker_fail(worker, -EINVAL, "a cost must not be negative: %" PRId64, cost);
    tier = tier_default(worker, collection);
    if (tier >= 0)
        tier = tiers_place(&collection->worker_tasks[worker->index].tiers,
                           collection->properties.levels - 1, cost);
    return add_ordered(worker, collection, tier, (struct ordered_task){task, size, cost});
}

int steal_add(struct steal_worker *worker, struct steal_collection *collection, const void *task,
              size_t size)
{
    struct worker_tasks *worker_tasks;
    void *room;

    if (!may_meet(worker, collection) || (!task && size > 0))
        return meet_fail(worker, collection, "task");
    worker_tasks = &collection->worker_tasks[worker->index];
    if (worker_tasks->ordered)
        return add_ordered(worker, collection, tier_default(worker, collection),
                           (struct ordered_task){task, size, COST_UNKNOWN});
    if (size_check(worker, collection, size) < 0)
        return -EMSGSIZE;
    room = may_add(worker, worker_tasks) ? deque_reserve_one(&worker_tasks->deque) : NULL;
    if (!room)
        room = reserve(worker, collection, 1);
    if (!room)
        return reserve_fail(worker, collection, -1, 1);
    if (worker_tasks->kept)
        task_begin(worker, collection, room, task, size);
    else if (size == sizeof(uint64_t))
        memcpy(room, task, sizeof(uint64_t));
    else if (size > 0)
        memcpy(room, task, size);
    deque_commit_one(&worker_tasks->deque);
    if (collection->runtime->team)
        team_share(collection, worker_tasks, 1);
    worker_succeed(worker);
    return 0;
}

/* ---- tasks that wait for counters ----------------------------------------------------------- */

static int note(struct steal_worker *worker, struct steal_collection *collection, uint64_t id,
                int64_t count, const void *task, size_t size)
{
    int result;

    if (!may_meet(worker, collection))
        return meet_fail(worker, collection, "");
    if (!collection->waiting)
        return worker_fail(worker, -EINVAL, "the collection was created without waiting");
    if (worker->closed)
        return closed_fail(worker);
    result = waiting_note(collection->waiting, id, count, task, size);
    if (result < 0)
        return worker_fail(worker, result, "no memory for a counter");
    worker_succeed(worker);
    return 0;
}

int steal_add_waiting(struct steal_worker *worker, struct steal_collection *collection, uint64_t id,
                      int64_t count, const void *task, size_t size)
{
    if (!may_meet(worker, collection) || !task)
        return meet_fail(worker, collection, "task");
    if (size_check(worker, collection, size) < 0)
        return -EMSGSIZE;
    if (count < 0)
        return worker_fail(worker, -EINVAL, "a count must not be negative: %" PRId64, count);
    return note(worker, collection, id, count, task, size);
}

int steal_count_down(struct steal_worker *worker, struct steal_collection *collection, uint64_t id)
{
    return note(worker, collection, id, -1, NULL, 0);
}
