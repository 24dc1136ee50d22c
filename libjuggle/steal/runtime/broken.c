/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/broken.h"

#include "libjuggle/steal/runtime/agreement.h"

#include <errno.h>
#include <string.h>

/* The rank that has failed, and why: 0 for a check, or -errno. */
struct failure {
    int rank;
    int error;
};

/* Tells all neighbors in the tree except `from`, which would otherwise wait for this rank
 * forever. */
static void tell_neighbors(struct steal_collection *collection, struct failure failure, int from)
{
    struct transport *transport = collection->transport;
    const struct peer *peer = &collection->peer;
    struct message message = {.kind = MESSAGE_BROKEN,
                              .epoch = peer->epoch,
                              .count = (uint32_t)-failure.error,
                              .total = failure.rank};
    int neighbor[TREE_FANOUT + 1];
    const int neighbors = tree_neighbors(peer->rank, peer->ranks, from, neighbor);

    transport->broken = true;
    for (int i = 0; i < neighbors; i++) {
        message.peer = neighbor[i];
        (void)!transport->ops->send(transport, &message, 0);
    }
}

int broken_here(struct steal_collection *collection, const char *check)
{
    tell_neighbors(collection, (struct failure){.rank = collection->peer.rank}, -1);
    return runtime_fail(collection->runtime, -EPROTO, "a check has failed: %s", check);
}

int broken_by(struct steal_collection *collection, const struct message *message, const char *check)
{
    tell_neighbors(collection, (struct failure){.rank = collection->peer.rank}, -1);
    return runtime_fail(collection->runtime, -EPROTO, "rank %d sent an invalid message: %s",
                        message->peer, check);
}

int broken_elsewhere(struct steal_collection *collection, const struct message *message)
{
    const struct failure failure = {(int)message->total, -(int)message->count};

    tell_neighbors(collection, failure, message->peer);
    if (failure.error == 0)
        return runtime_fail(collection->runtime, -EPROTO, "a check has failed on rank %d",
                            failure.rank);
    return runtime_fail(collection->runtime, -ECANCELED, "rank %d cannot go on: %s", failure.rank,
                        strerror(-failure.error));
}

/* Threads drop their tasks instead of executing them in vain. */
int broken_leave(struct steal_collection *collection, int error)
{
    halt_set(collection, HALT_CANCEL);
    if (collection->transport->broken)
        return error;
    tell_neighbors(collection, (struct failure){collection->peer.rank, error}, -1);
    return rank_fail(collection->runtime, error);
}

int broken_share(struct steal_runtime *runtime, int status)
{
    int64_t broken = runtime->transport->broken;
    const int result = ranks_share_failure(runtime, status);

    if (result == 0)
        return 0;
    if (ranks_max(runtime, &broken, 1) == 0)
        runtime->transport->broken = broken != 0;
    return result;
}

int broken_before(struct steal_runtime *runtime)
{
    if (!runtime->transport->broken)
        return 0;
    return runtime_fail(runtime, -EPROTO, "a rank has failed before: nothing can be processed");
}

int broken_tasks(struct steal_collection *collection)
{
    const char *check = NULL;

    for (int i = 0; i < collection->worker_tasks_length && !check; i++)
        check = worker_tasks_fault(&collection->worker_tasks[i]);
    return check ? broken_here(collection, check) : 0;
}
