/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/sort_buffer.h"

#include "libjuggle/steal/runtime/inbox.h"
#include "libjuggle/steal/runtime/stash.h"

#include <errno.h>
#include <stdlib.h>

int sort_buffer_open(struct steal_collection *collection, struct ledger **sort_buffer)
{
    struct record *record = &inbox_of(collection)->record;
    int result = record_open(record);

    if (result < 0)
        return runtime_fail(collection->runtime, result, "no memory to sort tasks");
    *sort_buffer = &record->ledger;
    return 0;
}

/* ---- out of the deques --------------------------------------------------------------------- */

int64_t sort_buffer_held(const struct steal_collection *collection)
{
    int64_t held = 0;

    for (int i = 0; i < collection->worker_tasks_length; i++)
        held += deque_count(&collection->worker_tasks[i].deque);
    return held;
}

void sort_buffer_clear_deques(struct steal_collection *collection, struct ledger *sort_buffer)
{
    const uint32_t most = (uint32_t)collection->properties.batch;

    for (int i = 0; i < collection->worker_tasks_length; i++) {
        struct worker_tasks *worker_tasks = &collection->worker_tasks[i];
        uint32_t count;

        /* The latest task, which would be executed first, is the last of the batch. */
        while ((count = deque_pop(&worker_tasks->deque, worker_tasks->batch, most)) > 0)
            while (count-- > 0)
                (void)ledger_add(sort_buffer, worker_tasks->batch + count * sort_buffer->stride);
    }
}

uint32_t sort_buffer_room(const struct steal_collection *collection,
                          const struct ledger *sort_buffer, bool cleared)
{
    int64_t room = -(int64_t)(cleared ? sort_buffer->count : 0);

    for (int i = 0; i < collection->runtime->workers; i++) {
        const struct deque *deque = &collection->worker_tasks[i].deque;

        room += deque->capacity_max - deque_count(deque);
    }
    return (uint32_t)clamp_i64(room, 0, sort_buffer->capacity - sort_buffer->count);
}

/* ---- back into them ------------------------------------------------------------------------ */

/* The load that each worker has been dealt, and how many more tasks it has room for. */
struct worker_loads {
    int64_t load_ns[WORKERS_MAX];
    uint32_t room[WORKERS_MAX];
    int workers;
};

static void worker_loads_open(struct worker_loads *loads, const struct steal_collection *collection)
{
    loads->workers = collection->runtime->workers;
    for (int i = 0; i < loads->workers; i++) {
        const struct deque *deque = &collection->worker_tasks[i].deque;

        loads->load_ns[i] = 0;
        loads->room[i] = deque->capacity_max - deque_count(deque);
    }
}

/* The worker with the least load among those that have room. */
static int worker_loads_least(const struct worker_loads *loads)
{
    int least = 0;

    for (int i = 1; i < loads->workers; i++)
        if (loads->room[least] == 0 ||
            (loads->room[i] > 0 && loads->load_ns[i] < loads->load_ns[least]))
            least = i;
    return least;
}

/* The indices of the tasks by duration, to be freed; NULL if that order is not wanted, or there is
 * no memory: tasks are then executed in another order. */
static uint32_t *sort_buffer_order(const struct steal_collection *collection,
                                   const struct ledger *sort_buffer)
{
    const bool sorted = collection->runtime->team ||
                        collection->properties.order == STEAL_ORDER_LONGEST;
    uint32_t *order = sorted && sort_buffer->count > 0 ? malloc(sort_buffer->count * sizeof(*order))
                                                       : NULL;

    if (order)
        ledger_sort(sort_buffer, 1, order);
    return order;
}

/* If the deque cannot grow because there is no memory, the task is stashed until it is empty. */
static int sort_buffer_put(struct steal_collection *collection, struct worker_tasks *worker_tasks,
                           const void *entry)
{
    if (worker_tasks_put(worker_tasks, -1, entry, 1) > 0)
        return 0;
    return stash_add(&collection->stash, -1, entry, 1, collection->stride);
}

static int sort_buffer_deal(struct steal_collection *collection, struct ledger *sort_buffer)
{
    uint32_t *order = sort_buffer_order(collection, sort_buffer);
    struct worker_loads loads;
    int result = 0;

    worker_loads_open(&loads, collection);
    for (uint32_t i = 0; i < sort_buffer->count && result == 0; i++) {
        void *entry = ledger_entry(sort_buffer, order ? order[i] : sort_buffer->count - 1 - i);
        const int worker = worker_loads_least(&loads);

        result = sort_buffer_put(collection, &collection->worker_tasks[worker], entry);
        loads.room[worker]--;
        loads.load_ns[worker] += history_expect(ledger_history(sort_buffer->stride, entry), 1);
    }
    free(order);
    if (result == 0)
        return 0;
    collection->transport->broken = true;
    return runtime_fail(collection->runtime, -ENOMEM, "no memory: tasks are lost");
}

int sort_buffer_place(struct steal_collection *collection, struct ledger *sort_buffer, bool cleared)
{
    int result;

    if (cleared) {
        ledger_sweep(sort_buffer);
        collection->predicted = 0;
        collection->predicted_ns = 0;
    }
    collection->predicted += sort_buffer->known;
    collection->predicted_ns += sort_buffer->known_ns;
    result = sort_buffer_deal(collection, sort_buffer);
    ledger_clear(sort_buffer);
    return result;
}
