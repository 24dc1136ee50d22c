/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding tasks, by copy or in place. */
#include "libjuggle/steal/runtime/collection.h"
#include "libjuggle/steal/runtime/team.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static int worker_fail(struct steal_worker *worker, int error,
                                                             const char *format, ...)
{
    va_list arguments;

    if (!worker->message)
        worker->message = malloc(STEAL_MESSAGE_MAX);
    if (!worker->message)
        return error;
    va_start(arguments, format);
    vsnprintf(worker->message, STEAL_MESSAGE_MAX, format, arguments);
    va_end(arguments);
    /* Tasks may fail on several threads at once. */
    if (!worker->runtime->processing)
        runtime_fail(worker->runtime, error, "%s", worker->message);
    return error;
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

static void *reserve(struct steal_worker *worker, struct steal_collection *collection, size_t count)
{
    struct station *station = &collection->station[worker->index];

    if (worker->runtime != collection->runtime || worker->closed || station->reserved > 0 ||
        count - 1 >= STEAL_BATCH_MAX)
        return NULL;
    return station_reserve(station, (uint32_t)count);
}

int steal_reserve(struct steal_worker *worker, struct steal_collection *collection, size_t count,
                  void **tasks)
{
    struct station *station = &collection->station[worker->index];
    void *room = reserve(worker, collection, count), *seen = room;

    if (!room)
        return reserve_fail(worker, collection, count);
    if (record_kept(&station->record))
        seen = record_draft(&station->record);
    if (!seen)
        return worker_fail(worker, -ENOMEM, "no memory for a reservation");
    station->reserved = (uint32_t)count;
    station->room = room;
    *tasks = seen;
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
    memcpy(room, task, size);
}

void steal_commit(struct steal_worker *worker, struct steal_collection *collection, size_t count)
{
    struct station *station = &collection->station[worker->index];
    const size_t task_stride = record_task_stride(&collection->properties);

    count = (size_t)min_i64((int64_t)count, station->reserved);
    for (size_t i = 0; i < count && record_kept(&station->record); i++)
        task_begin(worker, collection, (char *)station->room + i * collection->stride,
                   station->record.draft + i * task_stride, task_stride);
    deque_commit(&station->deque, (uint32_t)count);
    station->reserved = 0;
    if (collection->runtime->team)
        team_share(collection, station, 1);
}

int steal_add(struct steal_worker *worker, struct steal_collection *collection, const void *task,
              size_t size)
{
    struct station *station = &collection->station[worker->index];
    void *room;

    if (size > collection->properties.task_size)
        return worker_fail(worker, -EMSGSIZE, "a task of %zu bytes is larger than task_size, %zu",
                           size, collection->properties.task_size);
    room = reserve(worker, collection, 1);
    if (!room)
        return reserve_fail(worker, collection, 1);
    if (record_kept(&station->record))
        task_begin(worker, collection, room, task, size);
    else
        memcpy(room, task, size);
    deque_commit(&station->deque, 1);
    if (collection->runtime->team)
        team_share(collection, station, 1);
    return 0;
}
