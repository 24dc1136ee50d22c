/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/network.h"

#include "libjuggle/policy/prng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HEAP_FANOUT = 4, HEAP_FIRST = 1024 };

/* A message that is under way or waits in an inbox. */
struct parcel {
    struct parcel *next;          /* in the inbox, or among the free ones */
    struct parcel *older, *newer; /* sent by the same rank and under way */
    struct message message;
    int from;
    int64_t arrival_ns;
    size_t size;
    void *tasks;
};

/* What happens at a time: a parcel arrives, or (NULL) a rank's turn comes. */
struct happening {
    int64_t time_ns;
    uint64_t order; /* of those at the same time */
    struct parcel *parcel;
    int rank;
};

struct endpoint {
    struct transport transport;
    struct network *network;
    struct parcel *first, *last; /* inbox */
    struct parcel *newest;       /* that it has sent and is under way */
    struct parcel *delivered;    /* the one last received */
    bool waking;                 /* its turn has a time */
    unsigned char *room;
};

struct network {
    struct network_settings settings;
    struct prng prng;
    struct endpoint *endpoint;
    struct happening *heap;
    size_t count;
    size_t capacity;
    uint64_t order;
    int64_t now_ns;
    int64_t events;
    int64_t under_way;
    struct parcel *free;
};

/* ---- happenings ---------------------------------------------------------------------------- */

static bool happens_before(const struct happening *a, const struct happening *b)
{
    return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->order < b->order);
}

static int heap_add(struct network *network, struct happening happening)
{
    size_t at;

    if (network->count == network->capacity) {
        size_t capacity = network->capacity ? 2 * network->capacity : HEAP_FIRST;
        struct happening *heap = realloc(network->heap, capacity * sizeof(*heap));

        if (!heap)
            return -ENOMEM;
        network->heap = heap;
        network->capacity = capacity;
    }
    happening.order = network->order++;
    for (at = network->count++; at > 0; at = (at - 1) / HEAP_FANOUT) {
        struct happening *parent = &network->heap[(at - 1) / HEAP_FANOUT];

        if (happens_before(parent, &happening))
            break;
        network->heap[at] = *parent;
    }
    network->heap[at] = happening;
    return 0;
}

static size_t heap_first_child(const struct network *network, size_t at)
{
    size_t first = at * HEAP_FANOUT + 1;
    size_t best = first;

    for (size_t child = first + 1; child < first + HEAP_FANOUT && child < network->count; child++)
        if (happens_before(&network->heap[child], &network->heap[best]))
            best = child;
    return best;
}

static struct happening heap_take(struct network *network)
{
    struct happening first = network->heap[0];
    struct happening last = network->heap[--network->count];
    size_t at = 0;

    while (at * HEAP_FANOUT + 1 < network->count) {
        size_t child = heap_first_child(network, at);

        if (happens_before(&last, &network->heap[child]))
            break;
        network->heap[at] = network->heap[child];
        at = child;
    }
    network->heap[at] = last;
    return first;
}

/* ---- parcels ------------------------------------------------------------------------------- */

static struct parcel *parcel_take(struct network *network)
{
    struct parcel *parcel = network->free;

    if (!parcel)
        return calloc(1, sizeof(*parcel));
    network->free = parcel->next;
    parcel->next = NULL;
    return parcel;
}

static void parcel_free(struct network *network, struct parcel *parcel)
{
    if (!parcel)
        return;
    free(parcel->tasks);
    *parcel = (struct parcel){.next = network->free};
    network->free = parcel;
}

static int64_t parcel_travel(struct network *network, int from, int to)
{
    const struct network_settings *settings = &network->settings;
    int64_t time_ns = settings->latency_ns(settings->context, from, to);

    if (settings->jitter_ns > 0)
        time_ns += (int64_t)prng_below(&network->prng, (uint64_t)settings->jitter_ns + 1);
    if (settings->stall_one_in > 0 &&
        prng_below(&network->prng, (uint64_t)settings->stall_one_in) == 0)
        time_ns += settings->stall_ns;
    return time_ns;
}

/* Not before an earlier one to the same rank. */
static int64_t parcel_arrival(const struct endpoint *endpoint, int to)
{
    struct network *network = endpoint->network;
    int64_t arrival_ns = network->now_ns + parcel_travel(network, endpoint->transport.rank, to);

    for (const struct parcel *other = endpoint->newest; other; other = other->older)
        if (other->message.peer == to)
            return max_i64(arrival_ns, other->arrival_ns);
    return arrival_ns;
}

static void parcel_depart(struct endpoint *endpoint, struct parcel *parcel)
{
    parcel->older = endpoint->newest;
    if (parcel->older)
        parcel->older->newer = parcel;
    endpoint->newest = parcel;
}

static void parcel_arrive(struct network *network, struct parcel *parcel)
{
    struct endpoint *to = &network->endpoint[parcel->message.peer];

    if (parcel->older)
        parcel->older->newer = parcel->newer;
    if (parcel->newer)
        parcel->newer->older = parcel->older;
    else
        network->endpoint[parcel->from].newest = parcel->older;
    parcel->message.peer = parcel->from;
    if (to->last)
        to->last->next = parcel;
    else
        to->first = parcel;
    to->last = parcel;
}

/* ---- the transport ------------------------------------------------------------------------- */

static void *network_room(struct transport *transport)
{
    struct endpoint *endpoint = (struct endpoint *)transport;

    if (!endpoint->room)
        endpoint->room = malloc(TRANSPORT_ROOM);
    return endpoint->room;
}

static int network_send(struct transport *transport, const struct message *message, size_t size)
{
    struct endpoint *endpoint = (struct endpoint *)transport;
    struct network *network = endpoint->network;
    struct parcel *parcel = parcel_take(network);
    int result = -ENOMEM;

    if (!parcel)
        return -ENOMEM;
    parcel->message = *message;
    parcel->from = transport->rank;
    parcel->arrival_ns = parcel_arrival(endpoint, message->peer);
    if (size > 0) {
        parcel->tasks = malloc(size);
        if (!parcel->tasks)
            goto fail;
        memcpy(parcel->tasks, endpoint->room, size);
        parcel->size = size;
    }
    result = heap_add(network, (struct happening){.time_ns = parcel->arrival_ns, .parcel = parcel});
    if (result < 0)
        goto fail;
    parcel_depart(endpoint, parcel);
    network->under_way++;
    return 0;

fail:
    parcel_free(network, parcel);
    return result;
}

static int network_receive(struct transport *transport, uint32_t epoch, struct message *message,
                           const void **tasks)
{
    struct endpoint *endpoint = (struct endpoint *)transport;
    struct parcel **link = &endpoint->first;
    struct parcel *before = NULL;

    while (*link && (*link)->message.epoch != epoch) {
        before = *link;
        link = &before->next;
    }
    if (!*link)
        return 0;
    parcel_free(endpoint->network, endpoint->delivered);
    endpoint->delivered = *link;
    *link = endpoint->delivered->next;
    if (!*link)
        endpoint->last = before;
    endpoint->network->under_way--;
    *message = endpoint->delivered->message;
    *tasks = endpoint->delivered->tasks;
    return 1;
}

static int64_t network_time(struct transport *transport)
{
    return ((struct endpoint *)transport)->network->now_ns;
}

static int network_reduce(struct transport *transport, enum transport_reduction reduction,
                          int64_t *values, size_t count)
{
    (void)transport, (void)reduction, (void)values, (void)count;
    return 0;
}

static int network_collect(struct transport *transport, const void *data, size_t size,
                           transport_sink *sink, void *context)
{
    return transport->rank == 0 ? sink(context, 0, data, size) : 0;
}

static void network_endpoint_close(struct transport *transport)
{
    struct endpoint *endpoint = (struct endpoint *)transport;

    parcel_free(endpoint->network, endpoint->delivered);
    endpoint->delivered = NULL;
    free(endpoint->room);
    endpoint->room = NULL;
}

static const struct transport_ops network_ops = {
    .room = network_room,
    .send = network_send,
    .receive = network_receive,
    .now_ns = network_time,
    .reduce = network_reduce,
    .collect = network_collect,
    .close = network_endpoint_close,
};

/* ---- life ---------------------------------------------------------------------------------- */

int network_open(const struct network_settings *settings, struct network **out)
{
    struct network *network = calloc(1, sizeof(*network));

    if (!network)
        return -ENOMEM;
    network->settings = *settings;
    prng_seed(&network->prng, settings->seed);
    network->endpoint = calloc((size_t)settings->ranks, sizeof(*network->endpoint));
    if (!network->endpoint) {
        free(network);
        return -ENOMEM;
    }
    for (int rank = 0; rank < settings->ranks; rank++)
        network->endpoint[rank] = (struct endpoint){
            .transport = {.ops = &network_ops,
                          .rank = rank,
                          .ranks = settings->ranks,
                          .processors = 1,
                          .neighbors = 1},
            .network = network,
        };
    *out = network;
    return 0;
}

void network_close(struct network *network)
{
    if (!network)
        return;
    for (size_t i = 0; i < network->count; i++)
        parcel_free(network, network->heap[i].parcel);
    for (int rank = 0; rank < network->settings.ranks; rank++) {
        struct parcel *parcel;

        while ((parcel = network->endpoint[rank].first)) {
            network->endpoint[rank].first = parcel->next;
            parcel_free(network, parcel);
        }
    }
    while (network->free) {
        struct parcel *parcel = network->free;

        network->free = parcel->next;
        free(parcel);
    }
    free(network->heap);
    free(network->endpoint);
    free(network);
}

struct transport *network_endpoint(struct network *network, int rank)
{
    return &network->endpoint[rank].transport;
}

int64_t network_now(const struct network *network)
{
    return network->now_ns;
}

int64_t network_events(const struct network *network)
{
    return network->events;
}

int64_t network_under_way(const struct network *network)
{
    return network->under_way;
}

/* ---- time ---------------------------------------------------------------------------------- */

/* True if the rank may have its turn now. */
static bool happen(struct network *network, const struct happening *happening, int *rank)
{
    if (!happening->parcel) {
        network->endpoint[happening->rank].waking = false;
        *rank = happening->rank;
        return true;
    }
    *rank = happening->parcel->message.peer;
    parcel_arrive(network, happening->parcel);
    return !network->endpoint[*rank].waking;
}

bool network_next(struct network *network, int *rank)
{
    while (network->count > 0) {
        struct happening happening = heap_take(network);

        network->now_ns = happening.time_ns;
        network->events++;
        if (happen(network, &happening, rank))
            return true;
    }
    return false;
}

int network_wake(struct network *network, int rank, int64_t time_ns)
{
    network->endpoint[rank].waking = true;
    return heap_add(network, (struct happening){.time_ns = time_ns, .rank = rank});
}
