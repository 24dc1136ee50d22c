/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/scatter.h"

#include "libjuggle/steal/runtime/talk.h"

#include <errno.h>

enum { TASKS_PER_RANK = 2 };

/* The oldest tasks lead to the most. */
static uint32_t expand_oldest(struct steal_collection *collection, uint32_t most)
{
    struct station *station = &collection->station[0];
    struct deque_claim claim;
    uint32_t count;

    if (station->ordered) {
        count = tiers_pop(&station->tiers, station->batch, most);
        if (count > 0)
            station_execute(collection, &collection->runtime->worker[0], station, count);
        return count;
    }
    deque_release(&station->deque, deque_count(&station->deque));
    count = deque_claim(&station->deque.tail, most, &claim);
    if (count == 0)
        return 0;
    deque_copy(&station->deque.tail, &claim, station->batch);
    deque_complete(&station->deque.tail, &claim);
    station_execute(collection, &collection->runtime->worker[0], station, count);
    return count;
}

int scatter_tasks(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    const struct station *station = &collection->station[0];
    uint32_t batch = (uint32_t)collection->properties.batch;
    int ranks = steal_ranks(runtime);
    size_t executed = 0;
    int result = 0;
    uint32_t share, count;

    if (collection->scatter == 0)
        return 0;
    /* A tree may never be so wide: no more are executed than are wanted. */
    while (station_count(station) < collection->scatter && executed < collection->scatter &&
           (count = expand_oldest(collection, batch)) > 0)
        executed += count;
    collection->scatter = 0;
    share = station_count(station) / (uint32_t)ranks;
    for (int step = 1; step < ranks && result == 0 && share > 0; step++)
        result = talk_seed(collection, (steal_rank(runtime) + step) % ranks, share);
    return result;
}

int steal_scatter(struct steal_collection *collection, size_t tasks)
{
    struct steal_runtime *runtime;

    if (!collection)
        return -EINVAL;
    runtime = collection->runtime;
    if (runtime->processing)
        return runtime_fail(runtime, -EBUSY, "steal_scatter() from within a task");
    runtime_forget(runtime);
    collection->scatter = tasks > 0 ? tasks : TASKS_PER_RANK * (size_t)steal_ranks(runtime);
    return 0;
}
