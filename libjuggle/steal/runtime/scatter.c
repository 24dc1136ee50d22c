/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/scatter.h"

#include "libjuggle/steal/runtime/talk.h"

#include <errno.h>

enum { TASKS_PER_RANK = 2 };

/* Executes up to `most` of the oldest tasks, because these lead to the most others; of the best
 * ones if tasks have an order. Returns how many. */
static uint32_t expand_oldest(struct steal_collection *collection, uint32_t most)
{
    struct worker_tasks *worker_tasks = &collection->worker_tasks[0];
    struct deque_claim claim;
    uint32_t count;

    if (worker_tasks->ordered) {
        count = tiers_pop(&worker_tasks->tiers, worker_tasks->batch, most);
        if (count > 0)
            worker_tasks_execute(collection, &collection->runtime->worker[0], worker_tasks, count);
        return count;
    }
    deque_release(&worker_tasks->deque, deque_count(&worker_tasks->deque));
    count = deque_claim(&worker_tasks->deque.tail, most, &claim);
    if (count == 0)
        return 0;
    if (!deque_copy(&worker_tasks->deque.tail, &claim, worker_tasks->batch))
        return 0;
    deque_complete(&worker_tasks->deque.tail, &claim);
    worker_tasks_execute(collection, &collection->runtime->worker[0], worker_tasks, count);
    return count;
}

int scatter_tasks(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    const struct worker_tasks *worker_tasks = &collection->worker_tasks[0];
    uint32_t batch = (uint32_t)collection->properties.batch;
    int ranks = steal_ranks(runtime);
    size_t executed = 0;
    int result = 0;
    uint32_t share, count;

    if (collection->scatter == 0)
        return 0;
    /* A tree may never have that many tasks at once: no more are executed than are wanted. */
    while (halt_of(collection) == 0 && worker_tasks_count(worker_tasks) < collection->scatter &&
           executed < collection->scatter && (count = expand_oldest(collection, batch)) > 0)
        executed += count;
    collection->scatter = 0;
    share = worker_tasks_count(worker_tasks) / (uint32_t)ranks;
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
