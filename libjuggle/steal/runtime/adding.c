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

/* For each task, and as a rule there is nothing to do. */
static inline void worker_succeed(struct steal_worker *worker)
{
    if (worker->message)
        worker->message[0] = '\0';
    runtime_forget(worker->runtime);
}

static int pointer_fail(struct steal_worker *worker, const struct steal_collection *collection,
                        const char *what)
{
    if (!worker)
        return -EINVAL;
    return worker_fail(worker, -EINVAL, "%s is NULL", collection ? what : "the collection");
}

/* Why a reservation of a legal size failed. */
static int reserve_fail(struct steal_worker *worker, struct steal_collection *collection,
                        size_t count)
{
    const struct station *station = &collection->station[worker->index];

    if (worker->runtime != collection->runtime)
        return worker_fail(worker, -EINVAL, "the collection belongs to another runtime");
    if (worker->closed)
        return worker_fail(
            worker, -EBUSY,
            "a task adds through the worker that executes it, not through the seeder");
    if (station->reserved > 0)
        return worker_fail(worker, -EBUSY, "the reservation of %u tasks is not committed",
                           station->reserved);
    if (count == 0 || count > STEAL_BATCH_MAX)
        return worker_fail(worker, -EINVAL, "a reservation holds 1 to %d tasks, not %zu",
                           STEAL_BATCH_MAX, count);
    return worker_fail(
        worker, -ENOSPC, "the deque is full: %u tasks of %zu bytes, memory_max is %zu bytes",
        deque_count(&station->deque), collection->stride, collection->properties.memory_max);
}

/* Where tasks go of which nothing is said: what is retained is sorted when it is processed, by what
 * is known then. */
static int tier_default(const struct steal_worker *worker,
                        const struct steal_collection *collection)
{
    const struct station *station = &collection->station[worker->index];

    if (!station->ordered || (station->kept && !collection->runtime->processing))
        return -1;
    return station->tiers.count - 1;
}

static inline bool may_add(const struct steal_worker *worker,
                           const struct steal_collection *collection, const struct station *station)
{
    return worker->runtime == collection->runtime && !worker->closed && station->reserved == 0;
}

static void *reserve(struct steal_worker *worker, struct steal_collection *collection, size_t count)
{
    struct station *station = &collection->station[worker->index];

    if (!may_add(worker, collection, station) || count - 1 >= STEAL_BATCH_MAX)
        return NULL;
    if (station->ordered) {
        station->tier = tier_default(worker, collection);
        return station_reserve_tier(station, station->tier, (uint32_t)count);
    }
    return station_reserve(station, (uint32_t)count);
}

int steal_reserve(struct steal_worker *worker, struct steal_collection *collection, size_t count,
                  void **tasks)
{
    struct station *station;
    void *room, *seen;

    if (!worker || !collection || !tasks)
        return pointer_fail(worker, collection, "tasks");
    station = &collection->station[worker->index];
    seen = room = reserve(worker, collection, count);
    if (!room)
        return reserve_fail(worker, collection, count);
    if (station->kept)
        seen = record_draft(&station->record);
    if (!seen)
        return worker_fail(worker, -ENOMEM, "no memory for a reservation");
    station->reserved = (uint32_t)count;
    worker->reservations++;
    station->room = room;
    *tasks = seen;
    worker_succeed(worker);
    return 0;
}

/* Puts a new task into its room, with an empty history behind it. */
static void task_begin(const struct steal_worker *worker, const struct steal_collection *collection,
                       void *room, const void *task, size_t size)
{
    *ledger_history(collection->stride, room) = (struct history){
        .origin = steal_rank(collection->runtime),
        .flags = worker == &collection->runtime->seeder ? 0 : HISTORY_NESTED,
    };
    if (size > 0)
        memcpy(room, task, size);
}

/* The reservation stays open: it can be committed as it should be, and is told of if it is not. */
static void commit_refuse(struct steal_worker *worker, struct station *station, size_t count)
{
    station->overcommitted = station->reserved > 0 ? count : 0;
    if (station->reserved > 0)
        worker_fail(worker, -EINVAL,
                    "steal_commit() of %zu tasks is refused: the reservation has room for %u",
                    count, station->reserved);
    else
        worker_fail(worker, -EINVAL, "steal_commit() of %zu tasks: no reservation is open", count);
}

void steal_commit(struct steal_worker *worker, struct steal_collection *collection, size_t count)
{
    struct station *station;
    size_t task_stride;

    if (!worker || !collection)
        return;
    station = &collection->station[worker->index];
    if (count > station->reserved) {
        commit_refuse(worker, station, count);
        return;
    }
    task_stride = record_task_stride(&collection->properties);
    for (size_t i = 0; i < count && station->kept; i++)
        task_begin(worker, collection, (char *)station->room + i * collection->stride,
                   station->record.draft + i * task_stride, task_stride);
    if (station->ordered)
        station_commit(station, station->tier, (uint32_t)count);
    else
        deque_commit(&station->deque, (uint32_t)count);
    worker->reservations -= station->reserved > 0;
    station->reserved = 0;
    station->overcommitted = 0;
    if (collection->runtime->team)
        team_share(collection, station, 1);
}

/* ---- tasks that have an order --------------------------------------------------------------- */

enum { COST_UNKNOWN = -1 };

struct task {
    const void *data;
    size_t size;
    int64_t cost;
};

static __attribute__((noinline)) int add_ordered(struct steal_worker *worker,
                                                 struct steal_collection *collection, int tier,
                                                 struct task task)
{
    struct station *station = &collection->station[worker->index];
    void *room = NULL;

    if (task.size > collection->properties.task_size)
        return worker_fail(worker, -EMSGSIZE, "a task of %zu bytes is larger than task_size, %zu",
                           task.size, collection->properties.task_size);
    if (may_add(worker, collection, station))
        room = station_reserve_tier(station, tier, 1);
    if (!room)
        return reserve_fail(worker, collection, 1);
    if (station->kept) {
        task_begin(worker, collection, room, task.data, task.size);
        if (task.cost != COST_UNKNOWN) {
            ledger_history(collection->stride, room)->predicted_ns = task.cost;
            ledger_history(collection->stride, room)->flags |= HISTORY_COSTED;
        }
    } else if (task.size > 0) {
        memcpy(room, task.data, task.size);
    }
    station_commit(station, tier, 1);
    if (collection->runtime->team)
        team_share(collection, station, 1);
    worker_succeed(worker);
    return 0;
}

int steal_add_level(struct steal_worker *worker, struct steal_collection *collection, int level,
                    const void *task, size_t size)
{
    const struct tiers *tiers;

    if (!worker || !collection || (!task && size > 0))
        return pointer_fail(worker, collection, "task");
    tiers = &collection->station[worker->index].tiers;
    if (level < 0 || level >= collection->properties.levels)
        return worker_fail(worker, -EINVAL, "level %d does not exist: the collection has %d", level,
                           collection->properties.levels);
    if (!tiers->deque)
        return steal_add(worker, collection, task, size);
    return add_ordered(worker, collection, tiers_place(tiers, level, 0),
                       (struct task){task, size, COST_UNKNOWN});
}

int steal_add_weighted(struct steal_worker *worker, struct steal_collection *collection,
                       int64_t cost, const void *task, size_t size)
{
    int tier;

    if (!worker || !collection || (!task && size > 0))
        return pointer_fail(worker, collection, "task");
    if (!collection->properties.weighted)
        return worker_fail(worker, -EINVAL, "the collection was created without weighted");
    if (cost < 0)
        return worker_fail(worker, -EINVAL, "a cost must not be negative: %" PRId64, cost);
    tier = tier_default(worker, collection);
    if (tier >= 0)
        tier = tiers_place(&collection->station[worker->index].tiers,
                           collection->properties.levels - 1, cost);
    return add_ordered(worker, collection, tier, (struct task){task, size, cost});
}

int steal_add(struct steal_worker *worker, struct steal_collection *collection, const void *task,
              size_t size)
{
    struct station *station;
    void *room;

    if (!worker || !collection || (!task && size > 0))
        return pointer_fail(worker, collection, "task");
    station = &collection->station[worker->index];
    if (station->ordered)
        return add_ordered(worker, collection, tier_default(worker, collection),
                           (struct task){task, size, COST_UNKNOWN});
    if (size > collection->properties.task_size)
        return worker_fail(worker, -EMSGSIZE, "a task of %zu bytes is larger than task_size, %zu",
                           size, collection->properties.task_size);
    room = may_add(worker, collection, station) ? deque_reserve_one(&station->deque) : NULL;
    if (!room)
        room = reserve(worker, collection, 1);
    if (!room)
        return reserve_fail(worker, collection, 1);
    if (station->kept)
        task_begin(worker, collection, room, task, size);
    else if (size == sizeof(uint64_t))
        memcpy(room, task, sizeof(uint64_t));
    else if (size > 0)
        memcpy(room, task, size);
    deque_commit_one(&station->deque);
    if (collection->runtime->team)
        team_share(collection, station, 1);
    worker_succeed(worker);
    return 0;
}
