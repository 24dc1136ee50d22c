/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/broken.h"

#include <errno.h>

static void tell(const struct steal_collection *collection, int to, int teller)
{
    struct transport *transport = collection->transport;
    const struct message message = {
        .peer = to, .kind = MESSAGE_BROKEN, .epoch = collection->peer.epoch, .total = teller};

    (void)!transport->ops->send(transport, &message, 0);
}

/* To all neighbors in the tree but the one it came `from`: they would wait for this rank for ever.
 */
static void tell_neighbors(struct steal_collection *collection, int teller, int from)
{
    const struct peer *peer = &collection->peer;
    const int first = tree_first_child(peer->rank);

    collection->transport->broken = true;
    if (peer->rank > 0 && tree_parent(peer->rank) != from)
        tell(collection, tree_parent(peer->rank), teller);
    for (int child = first; child < first + tree_children(peer->rank, peer->ranks); child++)
        if (child != from)
            tell(collection, child, teller);
}

int broken_here(struct steal_collection *collection, const char *check)
{
    tell_neighbors(collection, collection->peer.rank, -1);
    return runtime_fail(collection->runtime, -EPROTO, "a check has failed: %s", check);
}

int broken_by(struct steal_collection *collection, const struct message *message, const char *check)
{
    tell_neighbors(collection, collection->peer.rank, -1);
    return runtime_fail(collection->runtime, -EPROTO, "rank %d sent what cannot be: %s",
                        message->peer, check);
}

int broken_elsewhere(struct steal_collection *collection, const struct message *message)
{
    tell_neighbors(collection, (int)message->total, message->peer);
    return runtime_fail(collection->runtime, -EPROTO, "a check has failed on rank %d",
                        (int)message->total);
}

int broken_tasks(struct steal_collection *collection)
{
    const char *check = NULL;

    for (int i = 0; i < collection->worker_tasks_length && !check; i++)
        check = worker_tasks_fault(&collection->worker_tasks[i]);
    return check ? broken_here(collection, check) : 0;
}
