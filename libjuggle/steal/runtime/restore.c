/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the executed tasks again. */
#include "libjuggle/steal/runtime/pausing.h"
#include "libjuggle/steal/runtime/reservation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int restore_check(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;

    if (!collection->properties.retain)
        return runtime_fail(runtime, -EINVAL, "the collection was created without retain");
    if (runtime->processing)
        return runtime_fail(runtime, -EBUSY, "steal_restore() from within a task");
    if (reservation_check(collection) < 0 || pausing_check(collection) < 0)
        return -EBUSY;
    if (!collection->processed)
        return runtime_fail(
            runtime, -EBUSY,
            "no steal_process() has ended since the collection was created or restored");
    for (int i = 0; i < collection->worker_tasks_length; i++) {
        const struct worker_tasks *worker_tasks = &collection->worker_tasks[i];

        if (worker_tasks->record.full ||
            worker_tasks->record.ledger.count >
                worker_tasks->deque.capacity_max - deque_count(&worker_tasks->deque))
            return runtime_fail(runtime, -ENOSPC, "memory_max has no room for the executed tasks");
    }
    return 0;
}

/* Takes the `count` latest tasks out of the deque again. */
static void worker_tasks_withdraw(const struct steal_collection *collection,
                                  struct worker_tasks *worker_tasks, uint32_t count)
{
    const uint32_t most = (uint32_t)collection->properties.batch;

    while (count > 0 &&
           deque_pop(&worker_tasks->deque, worker_tasks->batch, count < most ? count : most) > 0)
        count -= count < most ? count : most;
}

/* Puts the recorded tasks on the head of the deque, last the one that is to be executed first. With
 * STEAL_ORDER_LONGEST, `order` has room for the indices of all tasks; otherwise it is NULL. */
static int worker_tasks_restore(struct steal_collection *collection,
                                struct worker_tasks *worker_tasks, uint32_t *order)
{
    struct ledger *ledger = &worker_tasks->record.ledger;
    const uint32_t count = ledger->count;

    if (order && count > 0)
        ledger_sort(ledger, 0, order);
    for (uint32_t i = 0; i < count; i++) {
        void *room = worker_tasks_reserve(worker_tasks, -1, 1);

        if (!room) {
            worker_tasks_withdraw(collection, worker_tasks, i);
            return runtime_fail(collection->runtime, -ENOMEM, "no memory for %u tasks", count);
        }
        memcpy(room, ledger_entry(ledger, order ? order[i] : count - 1 - i), ledger->stride);
        deque_commit(&worker_tasks->deque, 1);
    }
    return 0;
}

/* Restores the tasks of all workers, or of none. */
static int restore_all(struct steal_collection *collection, uint32_t *order)
{
    struct worker_tasks *const worker_tasks = collection->worker_tasks;
    int result = 0, done = 0;

    while (done < collection->worker_tasks_length && result == 0) {
        result = worker_tasks_restore(collection, &worker_tasks[done], order);
        done += result == 0;
    }
    for (int i = 0; i < done; i++) {
        const struct ledger *ledger = &worker_tasks[i].record.ledger;

        if (result < 0)
            worker_tasks_withdraw(collection, &worker_tasks[i], ledger->count);
        collection->predicted += result < 0 ? 0 : ledger->known;
        collection->predicted_ns += result < 0 ? 0 : ledger->known_ns;
    }
    if (result == 0)
        collection->processed = false;
    return result;
}

int steal_restore(struct steal_collection *collection)
{
    uint32_t *order = NULL;
    size_t most = 0;
    int result;

    if (!collection)
        return -EINVAL;
    runtime_forget(collection->runtime);
    result = restore_check(collection);
    if (result < 0)
        return result;
    for (int i = 0; i < collection->worker_tasks_length; i++)
        most = (size_t)max_i64((int64_t)most, collection->worker_tasks[i].record.ledger.count);
    if (collection->properties.order == STEAL_ORDER_LONGEST) {
        order = malloc((most + 1) * sizeof(*order));
        if (!order)
            return runtime_fail(collection->runtime, -ENOMEM, "no memory to sort %zu tasks", most);
    }
    result = restore_all(collection, order);
    free(order);
    return result;
}
