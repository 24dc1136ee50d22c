/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/reservation.h"

#include <errno.h>
#include <inttypes.h>

int reservation_check(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    const uint32_t reserved = collection->station[runtime->seeder.index].reserved;

    if (runtime->processing || reserved == 0)
        return 0;
    return runtime_fail(runtime, -EBUSY,
                        "a reservation of %u tasks in collection %" PRId64
                        " of '%s' is open: steal_commit() is missing",
                        reserved, collection->id, collection_name(collection));
}

void reservations_drop(struct steal_worker *worker)
{
    struct steal_collection *collection = worker->runtime->collection;

    for (; collection; collection = collection->next)
        collection->station[worker->index].reserved = 0;
    worker->reservations = 0;
}

void reservations_expose(struct steal_worker *worker)
{
    struct steal_runtime *runtime = worker->runtime;
    const struct steal_collection *collection = runtime->collection;

    while (collection && collection->station[worker->index].reserved == 0)
        collection = collection->next;
    if (collection)
        worker_fail(
            worker, -EBUSY,
            "a task of '%s' ended with an open reservation of %u tasks in collection %" PRId64
            " of '%s': steal_commit() is missing",
            collection_name(runtime->processing), collection->station[worker->index].reserved,
            collection->id, collection_name(collection));
    reservations_drop(worker);
    runtime->culprit = worker;
    atomic_store_explicit(&runtime->processing->canceled, true, memory_order_relaxed);
}
