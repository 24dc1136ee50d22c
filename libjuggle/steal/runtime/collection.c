/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/deque/memory.h"
#include "libjuggle/steal/runtime/runtime.h"
#include "libjuggle/steal/runtime/team.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_DEFAULT = 1, TASKS_DEFAULT = 1024, CHUNK_DEFAULT = 20, POLL_TASKS_DEFAULT = 512 };

static const size_t MEMORY_DEFAULT = (size_t)256 << 20;

/* ---- properties ---------------------------------------------------------------------------- */

static void properties_default(struct steal_properties *properties)
{
    if (properties->batch == 0)
        properties->batch = BATCH_DEFAULT;
    if (properties->tasks == 0)
        properties->tasks = TASKS_DEFAULT;
    if (properties->memory_max == 0)
        properties->memory_max = MEMORY_DEFAULT;
    if (properties->chunk == 0)
        properties->chunk = CHUNK_DEFAULT;
    if (properties->poll_tasks == 0)
        properties->poll_tasks = POLL_TASKS_DEFAULT;
}

static int check_range(struct steal_runtime *runtime, const char *name, size_t value, size_t most)
{
    if (value >= 1 && value <= most)
        return 0;
    return runtime_fail(runtime, -EINVAL, "%s must be 1 to %zu, not %zu", name, most, value);
}

static int check_choice(struct steal_runtime *runtime, const char *name, enum steal_choice choice,
                        int value)
{
    if (steal_choice_name(choice, value))
        return 0;
    return runtime_fail(runtime, -EINVAL, "%s %d does not exist", name, value);
}

static int check_memory(struct steal_runtime *runtime, const struct steal_properties *properties,
                        size_t stride)
{
    size_t least = deque_memory_size(stride, (uint32_t)properties->tasks, 0);

    if (properties->memory_max >= least)
        return 0;
    return runtime_fail(runtime, -EINVAL,
                        "memory_max must be at least %zu for %zu tasks of %zu bytes, not %zu",
                        least, properties->tasks, stride, properties->memory_max);
}

static int properties_check(struct steal_runtime *runtime,
                            const struct steal_properties *properties, size_t stride)
{
    int result;

    if (properties->function == 0 || properties->function > runtime->functions)
        return runtime_fail(runtime, -ENOENT, "function %u is not registered",
                            properties->function);
    if ((result = check_range(runtime, "task_size", properties->task_size, STEAL_TASK_SIZE_MAX)) ||
        (result = check_range(runtime, "batch", properties->batch, STEAL_BATCH_MAX)) ||
        (result = check_range(runtime, "tasks", properties->tasks, DEQUE_CAPACITY_MAX)) ||
        (result = check_range(runtime, "chunk", properties->chunk, DEQUE_CAPACITY_MAX)) ||
        (result = check_range(runtime, "poll_tasks", properties->poll_tasks, DEQUE_CAPACITY_MAX)) ||
        (result = check_choice(runtime, "victim", STEAL_CHOICE_VICTIM, properties->victim)) ||
        (result = check_choice(runtime, "amount", STEAL_CHOICE_AMOUNT, properties->amount)) ||
        (result = check_choice(runtime, "termination", STEAL_CHOICE_TERMINATION,
                               properties->termination)))
        return result;
    return check_memory(runtime, properties, stride);
}

/* Tells tables of functions apart by their names and order (FNV-1a). */
static int64_t functions_digest(const struct steal_runtime *runtime)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);

    for (uint32_t i = 0; i < runtime->functions; i++) {
        const char *name = runtime->function[i].name;

        /* With its end, so that the borders between names count. */
        for (size_t at = 0; at <= strlen(name); at++)
            digest = (digest ^ (unsigned char)name[at]) * UINT64_C(0x100000001b3);
    }
    return (int64_t)digest;
}

static int properties_agree(struct steal_runtime *runtime, int status,
                            const struct steal_properties *properties)
{
    const struct agreement agreements[] = {
        {"the list of registered functions", functions_digest(runtime)},
        {"function", properties->function},
        {"task_size", (int64_t)properties->task_size},
        {"batch", (int64_t)properties->batch},
        {"tasks", (int64_t)properties->tasks},
        {"memory_max", (int64_t)properties->memory_max},
        {"retain", properties->retain},
        {"isolate", properties->isolate},
        {"victim", properties->victim},
        {"amount", properties->amount},
        {"termination", properties->termination},
        {"chunk", (int64_t)properties->chunk},
        {"poll_tasks", (int64_t)properties->poll_tasks},
        {"seed", (int64_t)properties->seed},
    };

    return runtime_agree(runtime, status, agreements, ARRAY_COUNT(agreements));
}

/* ---- life ---------------------------------------------------------------------------------- */

static int station_open(struct steal_collection *collection, struct station *station)
{
    const struct steal_properties *properties = &collection->properties;
    void *memory = memory_reserve(properties->memory_max);

    if (!memory)
        return -ENOMEM;
    int result = deque_init(&station->deque, memory, properties->memory_max, collection->stride,
                            (uint32_t)properties->tasks);
    if (result < 0) {
        memory_release(memory, properties->memory_max);
        return result;
    }
    if (properties->retain) {
        station->record = memory_reserve(properties->memory_max);
        if (!station->record)
            return -ENOMEM;
    }
    return posix_memalign((void **)&station->batch, DEQUE_LINE,
                          properties->batch * collection->stride)
               ? -ENOMEM
               : 0;
}

static void station_close(struct steal_collection *collection, struct station *station)
{
    free(station->batch);
    memory_release(station->record, collection->properties.memory_max);
    memory_release(station->deque.tail, collection->properties.memory_max);
}

static int stations_open(struct steal_collection *collection)
{
    size_t size;
    int result = 0;

    collection->stations = collection->runtime->workers + (collection->runtime->team != NULL);
    size = (size_t)collection->stations * sizeof(*collection->station);
    if (posix_memalign((void **)&collection->station, DEQUE_LINE, size))
        return -ENOMEM;
    memset(collection->station, 0, size);
    for (int i = 0; i < collection->stations && result == 0; i++)
        result = station_open(collection, &collection->station[i]);
    return result;
}

static void collection_close(struct steal_collection *collection)
{
    if (collection->station)
        for (int i = 0; i < collection->stations; i++)
            station_close(collection, &collection->station[i]);
    free(collection->station);
    free(collection);
}

int collection_open(struct steal_runtime *runtime, const struct steal_properties *properties,
                    struct steal_collection **out)
{
    struct steal_collection *collection = aligned_alloc(DEQUE_LINE, sizeof(*collection));
    int result;

    if (!collection)
        return runtime_fail(runtime, -ENOMEM, "no memory for a collection");
    memset(collection, 0, sizeof(*collection));
    collection->runtime = runtime;
    collection->transport = runtime->transport;
    collection->report_interval_ns = runtime->options.progress_interval_ns;
    collection->properties = *properties;
    properties_default(&collection->properties);
    collection->stride = (properties->task_size + STEAL_TASK_ALIGN - 1) / STEAL_TASK_ALIGN *
                         STEAL_TASK_ALIGN;
    result = properties_check(runtime, &collection->properties, collection->stride);
    if (result < 0)
        goto fail;
    result = stations_open(collection);
    if (result < 0) {
        runtime_fail(runtime, result, "no memory for deques of %zu bytes",
                     collection->properties.memory_max);
        goto fail;
    }
    collection->exec = runtime->function[properties->function - 1].exec;
    collection->grant_max = (uint32_t)min_i64((int64_t)(TRANSPORT_ROOM / collection->stride),
                                              deque_capacity_max(&collection->station[0].deque));
    peer_init(&collection->peer, &collection->properties, steal_rank(runtime),
              steal_ranks(runtime));
    *out = collection;
    return 0;

fail:
    collection_close(collection);
    return result;
}

int steal_collection_create(struct steal_runtime *runtime,
                            const struct steal_properties *properties,
                            struct steal_collection **out)
{
    struct steal_properties resolved = *properties;
    struct steal_collection *collection = NULL;
    int result;

    if (runtime->processing)
        return runtime_fail(runtime, -EBUSY, "collective call from within a task");
    result = collection_open(runtime, properties, &collection);
    properties_default(&resolved);
    result = properties_agree(runtime, result, &resolved);
    if (result < 0) {
        steal_collection_destroy(collection);
        return result;
    }
    *out = collection;
    return 0;
}

void steal_collection_destroy(struct steal_collection *collection)
{
    if (collection)
        collection_close(collection);
}

/* ---- tasks --------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static int worker_fail(struct steal_worker *worker, int error,
                                                             const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(worker->message, sizeof(worker->message), format, arguments);
    va_end(arguments);
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
    return worker_fail(worker, -ENOSPC, "the deque is full: %u tasks in memory_max of %zu bytes",
                       deque_count(&station->deque), collection->properties.memory_max);
}

int steal_reserve(struct steal_worker *worker, struct steal_collection *collection, size_t count,
                  void **tasks)
{
    struct station *station = &collection->station[worker->index];
    void *room = NULL;

    if (worker->runtime == collection->runtime && !worker->closed && station->reserved == 0 &&
        count - 1 < STEAL_BATCH_MAX)
        room = deque_reserve(&station->deque, (uint32_t)count);
    if (!room)
        return reserve_fail(worker, collection, count);
    station->reserved = (uint32_t)count;
    *tasks = room;
    return 0;
}

void steal_commit(struct steal_worker *worker, struct steal_collection *collection, size_t count)
{
    struct station *station = &collection->station[worker->index];

    deque_commit(&station->deque, (uint32_t)min_i64((int64_t)count, station->reserved));
    station->reserved = 0;
    if (collection->runtime->team)
        team_share(collection, station, 1);
}

int steal_add(struct steal_worker *worker, struct steal_collection *collection, const void *task,
              size_t size)
{
    void *room;
    int result;

    if (size > collection->properties.task_size)
        return worker_fail(worker, -EMSGSIZE, "a task of %zu bytes is larger than task_size, %zu",
                           size, collection->properties.task_size);
    result = steal_reserve(worker, collection, 1, &room);
    if (result < 0)
        return result;
    memcpy(room, task, size);
    steal_commit(worker, collection, 1);
    return 0;
}

/* ---- retention ----------------------------------------------------------------------------- */

static int restore_check(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;

    if (!collection->properties.retain)
        return runtime_fail(runtime, -EINVAL, "the collection was created without retain");
    if (runtime->processing)
        return runtime_fail(runtime, -EBUSY, "steal_restore() from within a task");
    if (!collection->processed)
        return runtime_fail(runtime, -EBUSY,
                            "nothing was processed since the collection was created or restored");
    for (int i = 0; i < collection->stations; i++) {
        const struct station *station = &collection->station[i];

        if (station->record_full ||
            station->recorded > deque_capacity_max(&station->deque) - deque_count(&station->deque))
            return runtime_fail(runtime, -ENOSPC, "the tasks executed do not fit into memory_max");
    }
    return 0;
}

/* The first task executed goes last on the head, to be the first again. */
static int station_restore(struct steal_collection *collection, struct station *station)
{
    while (station->recorded > 0) {
        void *room = deque_reserve(&station->deque, 1);

        if (!room)
            return runtime_fail(collection->runtime, -ENOSPC, "the deque is full");
        memcpy(room, station->record + --station->recorded * collection->stride,
               collection->stride);
        deque_commit(&station->deque, 1);
    }
    return 0;
}

int steal_restore(struct steal_collection *collection)
{
    int result = restore_check(collection);

    for (int i = 0; i < collection->stations && result == 0; i++)
        result = station_restore(collection, &collection->station[i]);
    if (result == 0)
        collection->processed = false;
    return result;
}
