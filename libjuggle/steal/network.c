/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/network.h"

#include "libjuggle/policy/prng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HEAP_FANOUT = 4, HEAP_FIRST = 1024, FLIGHTS_FIRST = 4 };

/* A message that is under way or waits in an inbox. */
struct parcel {
    struct parcel *next;    /* in the inbox, or among the free ones */
    struct message message; /* as its receiver will see it */
    void *tasks;
};

/* What happens to a rank at a time: a parcel arrives, or (NULL) its turn comes. */
struct happening {
    int64_t time_ns;
    uint64_t order; /* of those at the same time */
    struct parcel *parcel;
    int rank;
};

/* A parcel that may still be under way: none to the same rank may arrive before it. */
struct flight {
    int64_t arrival_ns;
    int to;
};

struct endpoint {
    struct transport transport;
    struct network *network;
    struct parcel *first, *last; /* inbox */
    struct parcel *delivered;    /* the one last received */
    bool waking;                 /* its turn has a time */
    int flights;
    int flights_capacity;
    struct flight *flight;
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

/* Forgets the flights that have landed; not before the one to the same rank, if there is any. */
static int64_t flight_arrival(struct endpoint *endpoint, int to)
{
    struct network *network = endpoint->network;
    int64_t arrival_ns = network->now_ns + parcel_travel(network, endpoint->transport.rank, to);
    int kept = 0;

    for (int i = 0; i < endpoint->flights; i++) {
        const struct flight flight = endpoint->flight[i];

        if (flight.to == to)
            arrival_ns = max_i64(arrival_ns, flight.arrival_ns);
        if (flight.arrival_ns >= network->now_ns)
            endpoint->flight[kept++] = flight;
    }
    endpoint->flights = kept;
    return arrival_ns;
}

static int flight_depart(struct endpoint *endpoint, int to, int64_t arrival_ns)
{
    if (endpoint->flights == endpoint->flights_capacity) {
        int capacity = endpoint->flights_capacity ? 2 * endpoint->flights_capacity : FLIGHTS_FIRST;
        struct flight *flight = realloc(endpoint->flight, (size_t)capacity * sizeof(*flight));

        if (!flight)
            return -ENOMEM;
        endpoint->flight = flight;
        endpoint->flights_capacity = capacity;
    }
    endpoint->flight[endpoint->flights++] = (struct flight){arrival_ns, to};
    return 0;
}

static void parcel_arrive(struct endpoint *to, struct parcel *parcel)
{
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
    int64_t arrival_ns = flight_arrival(endpoint, message->peer);
    struct parcel *parcel = parcel_take(network);
    int result = -ENOMEM;

    if (!parcel)
        return -ENOMEM;
    parcel->message = *message;
    parcel->message.peer = transport->rank;
    if (size > 0) {
        parcel->tasks = malloc(size);
        if (!parcel->tasks)
            goto fail;
        memcpy(parcel->tasks, endpoint->room, size);
    }
    result = flight_depart(endpoint, message->peer, arrival_ns);
    if (result == 0)
        result = heap_add(
            network,
            (struct happening){.time_ns = arrival_ns, .parcel = parcel, .rank = message->peer});
    if (result < 0)
        goto fail;
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
        free(network->endpoint[rank].flight);
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
static bool happen(struct network *network, const struct happening *happening)
{
    struct endpoint *endpoint = &network->endpoint[happening->rank];

    if (happening->parcel)
        parcel_arrive(endpoint, happening->parcel);
    else
        endpoint->waking = false;
    return !endpoint->waking;
}

bool network_next(struct network *network, int *rank)
{
    while (network->count > 0) {
        struct happening happening = heap_take(network);

        network->now_ns = happening.time_ns;
        network->events++;
        /* The next one is likely to be the first now: thousands of ranks do not fit into a cache.
         */
        __builtin_prefetch(&network->endpoint[network->heap[0].rank]);
        __builtin_prefetch(network->heap[0].parcel);
        *rank = happening.rank;
        if (happen(network, &happening))
            return true;
    }
    return false;
}

int network_wake(struct network *network, int rank, int64_t time_ns)
{
    network->endpoint[rank].waking = true;
    return heap_add(network, (struct happening){.time_ns = time_ns, .rank = rank});
}
