/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/pausing.h"

#include "libjuggle/steal/runtime/checkpoint.h"
#include "libjuggle/steal/runtime/talk.h"
#include "libjuggle/steal/runtime/team.h"

#include <errno.h>

/* ---- before -------------------------------------------------------------------------------- */

/* What is due by the clock, as bits PEER_STOP and PEER_SAVE. */
static unsigned reasons_due(const struct steal_collection *collection)
{
    const struct checkpoint *checkpoint = collection->checkpoint;
    unsigned reasons = 0;
    int64_t now_ns;

    if (!checkpoint && collection->stop_due_ns == INT64_MAX)
        return 0;
    now_ns = runtime_now(collection->runtime);
    if (now_ns >= collection->stop_due_ns)
        reasons |= PEER_STOP;
    if (checkpoint && now_ns >= checkpoint->due_ns)
        reasons |= PEER_SAVE;
    return reasons;
}

static unsigned reasons_requested(const struct steal_collection *collection)
{
    const unsigned halt = halt_of(collection);
    const bool stuck = collection->results && results_are_stuck(collection->results);

    return (halt & HALT_STOP || stuck ? PEER_STOP : 0) | (halt & HALT_PAUSE ? PEER_SAVE : 0);
}

int pausing_turn(struct steal_collection *collection)
{
    const struct peer *peer = &collection->peer;
    unsigned reasons = reasons_requested(collection) | reasons_due(collection);
    int result;

    /* A rank that pauses already, for either reason, saves anyway. */
    reasons &= ~(peer->pause_reasons ? peer->pause_reasons | PEER_SAVE : 0U);
    if (reasons == 0 || peer->phase != PEER_RUNNING || peer->canceled)
        return 0;
    halt_set(collection, HALT_PAUSE);
    result = talk_step(collection,
                       &(struct peer_event){.kind = PEER_PAUSE, .message = {.count = reasons}});
    return result < 0 ? result : 1;
}

/* ---- the quiet moment ---------------------------------------------------------------------- */

void pausing_go_on(struct steal_collection *collection)
{
    struct steal_runtime *runtime = collection->runtime;
    const int64_t now_ns = runtime_now(runtime);

    halt_clear(collection, HALT_PAUSE);
    collection->polled_ns = now_ns;
    peer_begin(&collection->peer, ++runtime->epoch, image_has_tasks(collection));
    for (int i = 0; i < collection->worker_tasks_length; i++)
        activity_enter(&runtime->worker[i].activity, STEAL_STATE_WORKING, now_ns);
    if (runtime->team)
        team_start(runtime->team, collection);
}

int pausing_settle(struct steal_collection *collection)
{
    const struct peer *peer = &collection->peer;
    int result = 0;

    if (peer->canceled || peer->left == 0)
        return 0;
    collection->stopped = true;
    if (collection->checkpoint)
        result = checkpoint_save(collection);
    if (peer->pause_reasons & PEER_STOP)
        halt_clear(collection, HALT_STOP);
    if (result < 0 || peer->pause_reasons & PEER_STOP)
        return result;
    collection->stopped = false;
    pausing_go_on(collection);
    return 1;
}

int pausing_check(struct steal_collection *collection)
{
    if (!collection->stopped || collection->runtime->processing)
        return 0;
    return runtime_fail(collection->runtime, -EBUSY,
                        "collection %d of '%s' was stopped before all was done: call "
                        "steal_process() to finish it first",
                        collection->id, collection_name(collection));
}

/* ---- for the program ----------------------------------------------------------------------- */

int steal_stop(struct steal_collection *collection)
{
    if (!collection)
        return -EINVAL;
    halt_set(collection, HALT_STOP);
    return 0;
}

int steal_checkpoint_now(struct steal_collection *collection)
{
    if (!collection || !collection->checkpoint)
        return -EINVAL;
    halt_set(collection, HALT_PAUSE);
    return 0;
}
