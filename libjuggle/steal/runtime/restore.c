/* SPDX-License-Identifier: BSD-3-Clause */
/* Adding again what was executed. */
#include "libjuggle/steal/runtime/collection.h"

#include <errno.h>
#include <string.h>

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

        if (station->record.full || station->record.count > deque_capacity_max(&station->deque) -
                                                                deque_count(&station->deque))
            return runtime_fail(runtime, -ENOSPC, "the tasks executed do not fit into memory_max");
    }
    return 0;
}

/* The first task executed goes last on the head, to be the first again. */
static int station_restore(struct steal_collection *collection, struct station *station)
{
    struct record *record = &station->record;

    while (record->count > 0) {
        void *room = deque_reserve(&station->deque, 1);

        if (!room)
            return runtime_fail(collection->runtime, -ENOSPC, "the deque is full");
        memcpy(room, record->tasks + --record->count * collection->stride, collection->stride);
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
