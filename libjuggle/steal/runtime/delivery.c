/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/delivery.h"

#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/talk.h"

#include <errno.h>
#include <string.h>

/* Rank 0 writes to the file at least this often, so that a full disk is found while tasks remain,
 * not after hours, when a buffer is full or all is done. */
static const int64_t WRITE_INTERVAL_NS = NSEC_PER_SEC;

/* Most messages of a rank that rank 0 has not taken yet: enough to hide a round trip. */
enum { UNDER_WAY_MAX = 4 };

static bool is_sink(const struct steal_collection *collection)
{
    return collection->peer.rank == 0;
}

static int delivery_send(struct steal_collection *collection, size_t *size)
{
    struct transport *transport = collection->transport;
    struct results *results = collection->results;
    void *room = transport->ops->room(transport);
    int result;

    if (!room)
        return -ENOMEM;
    result = spool_take(&results->spool, room, TRANSPORT_ROOM, size);
    results_note_unkept(results, result);
    if (*size == 0)
        return 0;
    results->under_way++;
    return talk_send(collection,
                     &(struct message){.peer = 0,
                                       .epoch = collection->peer.epoch,
                                       .kind = MESSAGE_RESULT,
                                       .total = (int64_t)*size},
                     *size);
}

static int delivery_send_all(struct steal_collection *collection)
{
    struct results *results = collection->results;
    size_t size = 1;
    int sent = 0;

    while (size > 0 && results->status == 0 && results->under_way < UNDER_WAY_MAX &&
           spool_occupied(&results->spool)) {
        const int result = delivery_send(collection, &size);

        if (result < 0)
            return result;
        sent += size > 0;
    }
    return sent;
}

static void delivery_write(struct steal_collection *collection)
{
    struct results *results = collection->results;
    int64_t now_ns;

    if (results->unwritten_size == 0)
        return;
    now_ns = runtime_now(collection->runtime);
    if (now_ns < results->write_due_ns)
        return;
    results_flush(results);
    results->write_due_ns = now_ns + WRITE_INTERVAL_NS;
}

/* True if rank 0 has not taken all results. If a result is lost, the process is canceled; if only
 * the file cannot be written, it is stopped (pausing.c). */
static bool results_are_pending(struct steal_collection *collection)
{
    const struct results *results = collection->results;

    if (results->lost)
        halt_set(collection, HALT_CANCEL);
    return results->under_way > 0 || (results->status == 0 && spool_occupied(&results->spool));
}

int delivery_turn(struct steal_collection *collection)
{
    int done, result = 0;

    if (!collection->results)
        return 0;
    done = is_sink(collection) ? results_take_own(collection->results) > 0
                               : delivery_send_all(collection);
    if (done < 0)
        return done;
    if (is_sink(collection))
        delivery_write(collection);
    if (results_are_pending(collection))
        collection->peer.results_pending = true;
    else if (collection->peer.results_pending)
        result = talk_step(collection, &(struct peer_event){.kind = PEER_FREED});
    return result < 0 ? result : done;
}

int delivery_fail(struct steal_collection *collection, int status)
{
    const struct results *results = collection->results;

    if (results->unkept)
        return runtime_fail(collection->runtime, status,
                            "results beyond results_memory cannot be kept in TMPDIR: %s",
                            strerror(-status));
    if (results->wrong)
        return runtime_fail(collection->runtime, status, "%s %s", results->path, results->wrong);
    return runtime_fail_path(collection->runtime, status,
                             results->path ? results->path : "results");
}

int delivery_outcome(struct steal_collection *collection)
{
    const struct results *results = collection->results;

    if (!results)
        return 0;
    return ranks_share_failure(
        collection->runtime, results->status < 0 ? delivery_fail(collection, results->status) : 0);
}
