/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/inbox.h"

#include "libjuggle/steal/runtime/broken.h"
#include "libjuggle/steal/runtime/stash.h"

#include <errno.h>
#include <string.h>

struct worker_tasks *inbox_of(const struct steal_collection *collection)
{
    return &collection->worker_tasks[collection->worker_tasks_length - 1];
}

/* Puts tasks into the inbox: into the tier, or if that is -1 into the deque, or into the last tier
 * if tasks have an order. In threads mode it shares them at once. Returns how many fitted. */
static uint32_t inbox_put(struct steal_collection *collection, int tier, const void *tasks,
                          uint32_t count)
{
    struct worker_tasks *inbox = inbox_of(collection);

    if (inbox->ordered && tier < 0)
        tier = inbox->tiers.count - 1;
    count = worker_tasks_put(inbox, tier, tasks, count);
    if (collection->runtime->team)
        deque_release(worker_tasks_deque(inbox, tier), count);
    return count;
}

/* An answer normally arrives when the deque is empty, and fits. Deals over lifelines arrive at any
 * time, and may not fit. */
int inbox_accept(struct steal_collection *collection, int tier, const void *tasks, uint32_t count)
{
    uint32_t done = inbox_put(collection, tier, tasks, count);
    size_t stride = collection->stride;

    if (done == count)
        return 0;
    return stash_add(&collection->stash, tier, (const char *)tasks + done * stride, count - done,
                     stride);
}

int inbox_accept_runs(struct steal_collection *collection, const unsigned char *runs,
                      uint32_t count)
{
    struct tiers_run run;
    int result = 0;

    for (uint32_t done = 0; done < count && result == 0; done += run.count) {
        memcpy(&run, runs, sizeof(run));
        if (run.count == 0 || run.count > count - done ||
            run.tier >= (uint32_t)inbox_of(collection)->tiers.count)
            return broken_here(collection, "the runs of a message make up its tasks");
        result = inbox_accept(collection, (int)run.tier, runs + sizeof(run), run.count);
        runs += sizeof(run) + run.count * collection->stride;
    }
    return result;
}

int inbox_unstash(struct steal_collection *collection)
{
    const struct stash *stash = collection->stash;
    uint32_t done;

    if (!stash)
        return 0;
    done = inbox_put(collection, stash->tier, stash->tasks, stash->count);
    if (done == 0)
        return -ENOMEM;
    stash_drop(&collection->stash, done, collection->stride);
    return (int)done;
}

static int inbox_sink(void *context, const void *task)
{
    return inbox_accept(context, -1, task, 1);
}

int inbox_release(struct steal_collection *collection, const void *notes, uint32_t count)
{
    const int released = waiting_handle(collection->waiting, notes, count, inbox_sink, collection);

    if (collection->waiting->wrong)
        halt_set(collection, HALT_CANCEL);
    return released;
}
