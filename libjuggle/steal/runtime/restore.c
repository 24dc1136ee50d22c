/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding again what was executed. */
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
    if (reservation_check(collection) < 0)
        return -EBUSY;
    if (!collection->processed)
        return runtime_fail(runtime, -EBUSY,
                            "nothing was processed since the collection was created or restored");
    for (int i = 0; i < collection->stations; i++) {
        const struct station *station = &collection->station[i];

        if (station->record.full || station->record.ledger.count >
                                        station->deque.capacity_max - deque_count(&station->deque))
            return runtime_fail(runtime, -ENOSPC, "the tasks executed do not fit into memory_max");
    }
    return 0;
}

/* What is to be executed first goes last on the head. With STEAL_ORDER_LONGEST, `order` has room
 * for the indices of all tasks. */
static int station_restore(struct steal_collection *collection, struct station *station,
                           uint32_t *order)
{
    struct ledger *ledger = &station->record.ledger;
    const uint32_t count = ledger->count;

    if (order && count > 0)
        ledger_sort(ledger, 0, order);
    for (uint32_t i = 0; i < count; i++) {
        void *room = station_reserve(station, 1);

        if (!room)
            return runtime_fail(collection->runtime, -ENOSPC, "the deque is full");
        memcpy(room, ledger_entry(ledger, order ? order[i] : count - 1 - i), ledger->stride);
        deque_commit(&station->deque, 1);
    }
    return 0;
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
    for (int i = 0; i < collection->stations; i++)
        most = (size_t)max_i64((int64_t)most, collection->station[i].record.ledger.count);
    if (collection->properties.order == STEAL_ORDER_LONGEST) {
        order = malloc((most + 1) * sizeof(*order));
        if (!order)
            return runtime_fail(collection->runtime, -ENOMEM, "no memory to sort %zu tasks", most);
    }
    for (int i = 0; i < collection->stations && result == 0; i++) {
        collection->predicted += collection->station[i].record.ledger.known;
        collection->predicted_ns += collection->station[i].record.ledger.known_ns;
        result = station_restore(collection, &collection->station[i], order);
    }
    if (result == 0)
        collection->processed = false;
    free(order);
    return result;
}
