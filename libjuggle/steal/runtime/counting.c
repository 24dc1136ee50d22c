/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/counting.h"

#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/inbox.h"
#include "libjuggle/steal/runtime/talk.h"

#include <errno.h>
#include <inttypes.h>

/* Sends one message of notes to that home. Returns a positive number if it released tasks on this
 * rank. */
static int counting_send(struct steal_collection *collection, int home)
{
    struct transport *transport = collection->transport;
    struct message message = {
        .peer = home, .epoch = collection->peer.epoch, .kind = MESSAGE_COUNTERS};
    void *room = transport->ops->room(transport);
    size_t size;
    int result;

    if (!room)
        return -ENOMEM;
    size = waiting_pack(collection->waiting, home, room, TRANSPORT_ROOM, &message.count);
    if (home == collection->peer.rank)
        return inbox_release(collection, room, message.count);
    result = talk_send(collection, &message, size);
    if (result < 0)
        return result;
    return talk_step(collection,
                     &(struct peer_event){.kind = PEER_GAVE, .message = {.peer = home}});
}

int counting_turn(struct steal_collection *collection)
{
    struct waiting_tasks *waiting = collection->waiting;
    int released = 0, home;

    if (!waiting_pending(waiting))
        return 0;
    waiting_take_notes(waiting);
    while ((home = waiting_home(waiting)) >= 0) {
        const int result = counting_send(collection, home);

        if (result < 0)
            return result;
        released |= result > 0;
    }
    return released;
}

/* Reports why counters are left. */
static int counting_tell(struct steal_collection *collection)
{
    const struct waiting_tasks *waiting = collection->waiting;
    const struct waiting_counter *left = waiting_left(waiting);
    struct steal_runtime *runtime = collection->runtime;

    if (waiting->wrong)
        return runtime_fail(runtime, -EEXIST, "two tasks wait for counter %" PRIu64,
                            waiting->wrong_id);
    if (!left || collection->peer.canceled)
        return 0;
    if (!left->task)
        return runtime_fail(runtime, -EDEADLK,
                            "counter %" PRIu64 " was counted down, and no task waits for it",
                            left->id);
    return runtime_fail(
        runtime, -EDEADLK,
        "%zu counter%s never came to zero: counter %" PRIu64 " is %" PRId64 ", and its task waits",
        waiting->counters, plural((int64_t)waiting->counters), left->id, left->count);
}

int counting_outcome(struct steal_collection *collection)
{
    int result;

    if (!collection->waiting)
        return 0;
    result = counting_tell(collection);
    waiting_clear(collection->waiting);
    return ranks_succeed(collection->runtime, result);
}
