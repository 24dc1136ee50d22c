/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/reservation.h"

#include <errno.h>
#include <stdio.h>

enum { WHY_MAX = 80 };

/* Writes why a reservation is still open. */
static void reservation_miss(const struct worker_tasks *worker_tasks, char why[static WHY_MAX])
{
    if (worker_tasks->overcommitted > 0)
        snprintf(why, WHY_MAX, "steal_commit() of %zu was refused", worker_tasks->overcommitted);
    else
        snprintf(why, WHY_MAX, "steal_commit() is missing");
}

int reservation_check(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    const struct worker_tasks *worker_tasks = &collection->worker_tasks[runtime->seeder.index];
    char why[WHY_MAX];

    if (runtime->processing || worker_tasks->reserved == 0)
        return 0;
    reservation_miss(worker_tasks, why);
    return runtime_fail(runtime, -EBUSY,
                        "a reservation of %u tasks in collection %d of '%s' is open: %s",
                        worker_tasks->reserved, collection->id, collection_name(collection), why);
}

void reservations_drop(struct steal_worker *worker)
{
    struct steal_collection *collection = worker->runtime->collection;

    for (; collection; collection = collection->next) {
        collection->worker_tasks[worker->index].reserved = 0;
        collection->worker_tasks[worker->index].overcommitted = 0;
    }
    worker->reservations = 0;
}

void reservations_fail(struct steal_worker *worker)
{
    struct steal_runtime *runtime = worker->runtime;
    const struct steal_collection *collection = runtime->collection;
    char why[WHY_MAX];

    while (collection && collection->worker_tasks[worker->index].reserved == 0)
        collection = collection->next;
    if (collection) {
        reservation_miss(&collection->worker_tasks[worker->index], why);
        worker_fail(worker, -EBUSY,
                    "a task of '%s' ended with an open reservation of %u tasks in collection %d"
                    " of '%s': %s",
                    collection_name(runtime->processing),
                    collection->worker_tasks[worker->index].reserved, collection->id,
                    collection_name(collection), why);
    }
    reservations_drop(worker);
    runtime->culprit = worker;
    halt_set(runtime->processing, HALT_CANCEL);
}
