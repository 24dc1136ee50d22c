/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/desk.h"

#include "libjuggle/steal/runtime/stash.h"

#include <errno.h>
#include <stdlib.h>

int desk_open(struct steal_collection *collection, struct ledger **desk)
{
    struct record *record = &collection->station[collection->stations - 1].record;
    int result = record_open(record);

    if (result < 0)
        return runtime_fail(collection->runtime, result, "no memory to sort tasks");
    *desk = &record->ledger;
    return 0;
}

/* ---- out of the deques --------------------------------------------------------------------- */

int64_t desk_held(const struct steal_collection *collection)
{
    int64_t held = 0;

    for (int i = 0; i < collection->stations; i++)
        held += deque_count(&collection->station[i].deque);
    return held;
}

void desk_clear_deques(struct steal_collection *collection, struct ledger *desk)
{
    const uint32_t most = (uint32_t)collection->properties.batch;

    for (int i = 0; i < collection->stations; i++) {
        struct station *station = &collection->station[i];
        uint32_t count;

        /* The latest comes last, and would be executed first. */
        while ((count = deque_pop(&station->deque, station->batch, most)) > 0)
            while (count-- > 0)
                (void)ledger_add(desk, station->batch + count * desk->stride);
    }
}

uint32_t desk_room(const struct steal_collection *collection, const struct ledger *desk,
                   bool cleared)
{
    int64_t room = -(int64_t)(cleared ? desk->count : 0);

    for (int i = 0; i < collection->runtime->workers; i++) {
        const struct deque *deque = &collection->station[i].deque;

        room += deque->capacity_max - deque_count(deque);
    }
    return (uint32_t)clamp_i64(room, 0, desk->capacity - desk->count);
}

/* ---- back into them ------------------------------------------------------------------------ */

/* What the workers have been dealt, and how much more they have room for. */
struct hands {
    int64_t load_ns[WORKERS_MAX];
    uint32_t room[WORKERS_MAX];
    int workers;
};

static void hands_open(struct hands *hands, const struct steal_collection *collection)
{
    hands->workers = collection->runtime->workers;
    for (int i = 0; i < hands->workers; i++) {
        const struct deque *deque = &collection->station[i].deque;

        hands->load_ns[i] = 0;
        hands->room[i] = deque->capacity_max - deque_count(deque);
    }
}

/* Of those that have room, the worker with the least load. */
static int hands_worker(const struct hands *hands)
{
    int least = 0;

    for (int i = 1; i < hands->workers; i++)
        if (hands->room[least] == 0 ||
            (hands->room[i] > 0 && hands->load_ns[i] < hands->load_ns[least]))
            least = i;
    return least;
}

/* Without memory for the order of durations, tasks are executed in another one. */
static uint32_t *desk_order(const struct steal_collection *collection, const struct ledger *desk)
{
    const bool sorted = collection->runtime->team ||
                        collection->properties.order == STEAL_ORDER_LONGEST;
    uint32_t *order = sorted && desk->count > 0 ? malloc(desk->count * sizeof(*order)) : NULL;

    if (order)
        ledger_sort(desk, 1, order);
    return order;
}

/* Where the deque cannot grow for want of memory, the task waits until it is empty. */
static int desk_put(struct steal_collection *collection, struct station *station, const void *entry)
{
    void *room = station_reserve(station, 1);

    if (!room)
        return stash_add(&collection->stash, -1, entry, 1, collection->stride);
    ledger_copy(room, entry, collection->stride);
    deque_commit(&station->deque, 1);
    return 0;
}

static int desk_deal(struct steal_collection *collection, struct ledger *desk)
{
    uint32_t *order = desk_order(collection, desk);
    struct hands hands;
    int result = 0;

    hands_open(&hands, collection);
    for (uint32_t i = 0; i < desk->count && result == 0; i++) {
        void *entry = ledger_entry(desk, order ? order[i] : desk->count - 1 - i);
        const int worker = hands_worker(&hands);

        result = desk_put(collection, &collection->station[worker], entry);
        hands.room[worker]--;
        hands.load_ns[worker] += history_expect(ledger_history(desk->stride, entry), 1);
    }
    free(order);
    if (result < 0)
        return runtime_fail(collection->runtime, -EIO, "no memory: tasks are lost");
    return 0;
}

int desk_place(struct steal_collection *collection, struct ledger *desk, bool cleared)
{
    int result;

    if (cleared) {
        ledger_sweep(desk);
        collection->predicted = 0;
        collection->predicted_ns = 0;
    }
    collection->predicted += desk->known;
    collection->predicted_ns += desk->known_ns;
    result = desk_deal(collection, desk);
    ledger_clear(desk);
    return result;
}
