/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/desk.h"

#include <stdlib.h>

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

        room += deque_capacity_max(deque) - deque_count(deque);
    }
    return (uint32_t)clamp_i64(room, 0, desk->capacity - desk->count);
}

/* ---- back into them ------------------------------------------------------------------------ */

/* The index of a worker that has room, and of those the one with the least load. */
static int desk_worker(const struct steal_collection *collection, const int64_t *load_ns)
{
    int least = -1;

    for (int i = 0; i < collection->runtime->workers; i++) {
        const struct deque *deque = &collection->station[i].deque;

        if (deque_count(deque) < deque_capacity_max(deque) &&
            (least < 0 || load_ns[i] < load_ns[least]))
            least = i;
    }
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

static void desk_deal(struct steal_collection *collection, struct ledger *desk)
{
    int64_t load_ns[WORKERS_MAX] = {0};
    uint32_t *order = desk_order(collection, desk);

    for (uint32_t i = 0; i < desk->count; i++) {
        void *entry = ledger_entry(desk, order ? order[i] : desk->count - 1 - i);
        const int worker = desk_worker(collection, load_ns);
        struct deque *deque = &collection->station[worker].deque;

        ledger_copy(deque_reserve(deque, 1), entry, desk->stride);
        deque_commit(deque, 1);
        load_ns[worker] += history_expect(ledger_history(desk->stride, entry), 1);
    }
    free(order);
}

void desk_place(struct steal_collection *collection, struct ledger *desk, bool cleared)
{
    ledger_sweep(desk);
    if (cleared) {
        collection->predicted = 0;
        collection->predicted_ns = 0;
    }
    collection->predicted += desk->known;
    collection->predicted_ns += desk->known_ns;
    desk_deal(collection, desk);
    ledger_clear(desk);
}
