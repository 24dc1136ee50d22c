/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/collection.h"

#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/checkpoint.h"
#include "libjuggle/steal/runtime/properties.h"
#include "libjuggle/steal/runtime/stash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int workers_tasks_open(struct steal_collection *collection)
{
    const int workers = collection->runtime->workers;
    const bool reported = !collection->transport->keeps_no_reports;
    size_t size;
    int result = 0;

    collection->worker_tasks_length = workers + (collection->runtime->team != NULL);
    size = (size_t)collection->worker_tasks_length * sizeof(*collection->worker_tasks);
    if (posix_memalign((void **)&collection->worker_tasks, DEQUE_LINE, size))
        return -ENOMEM;
    memset(collection->worker_tasks, 0, size);
    for (int i = 0; i < collection->worker_tasks_length && result == 0; i++)
        result = worker_tasks_open(&collection->worker_tasks[i], &collection->properties,
                                   i < collection->worker_tasks_length - 1 ? 1 : workers,
                                   reported && i < workers);
    return result;
}

static int protocol_open(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    const struct places *places = runtime->places;
    int rank = steal_rank(runtime);
    size_t size = peer_memory_size(&collection->properties, rank, places);

    collection->peer_memory = size > 0 ? malloc(size) : NULL;
    if (size > 0 && !collection->peer_memory)
        return runtime_fail(runtime, -ENOMEM, "no memory for %zu bytes of the protocol", size);
    peer_init(&collection->peer, &collection->properties, rank, places, collection->peer_memory);
    return 0;
}

static void collection_close(struct steal_collection *collection)
{
    while (collection->stash)
        stash_drop(&collection->stash, collection->stash->count, collection->stride);
    if (collection->worker_tasks)
        for (int i = 0; i < collection->worker_tasks_length; i++)
            worker_tasks_close(&collection->worker_tasks[i]);
    if (collection->bound && collection->bound->shared_cell >= 0)
        collection->runtime->bound_cells &= ~(UINT64_C(1) << collection->bound->shared_cell);
    storage_close(collection->storage);
    results_close(collection->results);
    waiting_close(collection->waiting);
    checkpoint_close(collection->checkpoint);
    free(collection->bound);
    free(collection->worker_tasks);
    free(collection->peer_memory);
    free(collection);
}

static int parts_open(struct steal_collection *collection)
{
    const struct steal_properties *properties = &collection->properties;
    struct steal_runtime *runtime = collection->runtime;
    int result = protocol_open(collection);

    if (result < 0)
        return result;
    if (bound_open(properties->bound, &collection->bound) < 0)
        return runtime_fail(runtime, -ENOMEM, "no memory for a bound");
    if (workers_tasks_open(collection) < 0)
        return runtime_fail(runtime, -ENOMEM, "no memory for %d workers",
                            collection->worker_tasks_length);
    if (storage_open(properties->storage, properties->storage_initial, runtime->workers,
                     &collection->storage) < 0)
        return runtime_fail(runtime, -ENOMEM, "no memory for storage of %zu bytes",
                            properties->storage);
    if (properties->waiting &&
        waiting_open(collection->stride, steal_ranks(runtime), &collection->waiting) < 0)
        return runtime_fail(runtime, -ENOMEM, "no memory for counters");
    result = results_open(properties, steal_rank(runtime) == 0, &collection->results);
    if (result < 0)
        return runtime_fail_path(runtime, result,
                                 properties->results_path ? properties->results_path : "results");
    collection->exec = runtime->function[properties->function - 1].exec;
    return 0;
}

/* Opens a collection on this rank only; the ranks have not agreed yet. */
static int collection_open(struct steal_runtime *runtime, const struct steal_properties *properties,
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
    collection->stop_due_ns = INT64_MAX;
    properties_resolve(&collection->properties);
    collection->stride = record_stride(&collection->properties);
    result = properties_check(runtime, properties);
    if (result == 0)
        result = parts_open(collection);
    if (result < 0)
        collection_close(collection);
    else
        *out = collection;
    return result;
}

/*
 * Collective. Puts the bound into a cell of the memory that each node's ranks share, if there is a
 * cell that is free on all ranks. No rank uses the cell before all have initialized it.
 */
static int collection_share_bound(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    struct transport *transport = runtime->transport;
    int64_t taken[BOUND_CELLS + 1]; /* the last one: true if there is no memory */
    void *memory = NULL;
    int result, cell = 0;

    if (!collection->bound || !transport->ops->share)
        return 0;
    result = transport->ops->share(transport, &memory);
    for (int i = 0; i < BOUND_CELLS; i++)
        taken[i] = (int64_t)(runtime->bound_cells >> i & 1);
    taken[BOUND_CELLS] = result < 0 || !memory;
    result = ranks_max(runtime, taken, ARRAY_COUNT(taken));
    if (result < 0 || taken[BOUND_CELLS])
        return result;
    while (cell < BOUND_CELLS && taken[cell])
        cell++;
    if (cell == BOUND_CELLS)
        return 0;
    runtime->bound_cells |= UINT64_C(1) << cell;
    bound_share(collection->bound, memory, cell);
    return ranks_succeed(runtime, 0);
}

int steal_collection_create(struct steal_runtime *runtime,
                            const struct steal_properties *properties,
                            struct steal_collection **out)
{
    struct steal_properties wanted = {0}, resolved;
    struct steal_collection *collection = NULL;
    int result;

    if (!runtime)
        return -EINVAL;
    result = runtime_need(runtime, properties, "properties");
    if (result == 0)
        result = runtime_need(runtime, out, "collection");
    if (result == 0)
        result = properties_want(runtime, properties, &wanted);
    result = ranks_meet(runtime, CALL_COLLECTION_CREATE, 0, result);
    if (result < 0)
        return result;
    resolved = wanted;
    result = collection_open(runtime, &wanted, &collection);
    properties_resolve(&resolved);
    result = properties_agree(runtime, result, &resolved);
    if (result == 0)
        result = collection_share_bound(collection);
    if (result < 0 || !collection) {
        if (collection)
            collection_close(collection);
        return result;
    }
    collection->id = ++runtime->collections;
    collection->next = runtime->collection;
    runtime->collection = collection;
    *out = collection;
    return 0;
}

static void collection_unlink(struct steal_collection *collection)
{
    struct steal_collection **link = &collection->runtime->collection;

    while (*link && *link != collection)
        link = &(*link)->next;
    if (*link)
        *link = collection->next;
}

int steal_collection_destroy(struct steal_collection *collection)
{
    if (!collection)
        return 0;
    if (collection->runtime->processing)
        return runtime_fail(collection->runtime, -EBUSY,
                            "steal_collection_destroy() from within a task");
    runtime_forget(collection->runtime);
    collection_unlink(collection);
    collection_close(collection);
    return 0;
}

int64_t collection_executed(const struct steal_collection *collection)
{
    int64_t executed = 0;

    for (int i = 0; i < collection->worker_tasks_length; i++)
        executed += atomic_load_explicit(&collection->worker_tasks[i].executed,
                                         memory_order_relaxed);
    return executed;
}
