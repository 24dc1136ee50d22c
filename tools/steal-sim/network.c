/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/network.h"

#include "libjuggle/policy/prng.h"
#include "tools/steal-sim/agenda.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FLIGHTS_FIRST = 4, PARCELS_FIRST = 1024, NO_PARCEL = 0 };

/* How many happenings ahead memory is called for: thousands of ranks do not fit into a cache. What
 * is found through a pointer is called for when that pointer has come. */
enum { AHEAD_FAR = AGENDA_AHEAD - 1, AHEAD_NEAR = AHEAD_FAR / 2 };

enum { LINE = 64 }; /* bytes of a cache line */

/* A message that is under way or waits in an inbox. */
struct parcel {
    struct message message; /* as its receiver will see it */
    void *tasks;
    uint32_t next; /* in the inbox, or among the free ones */
};

/* The parcels of a rank that may still be under way: none to the same rank may arrive before. */
struct flights {
    uint32_t count;
    uint32_t capacity;
    struct flight {
        int64_t arrival_ns;
        int to;
    } list[];
};

/* One line. */
struct endpoint {
    _Alignas(LINE) struct transport transport;
    struct network *network;
    uint32_t first, last;    /* inbox */
    struct flights *flights; /* NULL before the first one */
    void *tasks;             /* received last */
    bool waking;             /* its turn has a time */
};

struct network {
    struct network_settings settings;
    struct prng prng;
    struct endpoint *endpoint;
    struct places places; /* where none were given */
    int32_t *nodes;       /* 0, 1, 2, ..., one more than there are ranks */
    struct agenda agenda; /* what: the parcel that arrives, or NO_PARCEL: the rank's turn */
    struct parcel *parcel;
    uint32_t parcels; /* ever used, NO_PARCEL included */
    uint32_t parcels_capacity;
    uint32_t free;
    void *room; /* one for all: what is put there is sent in the same turn */
    int64_t now_ns;
    int64_t events;
    int64_t under_way;
};

/* ---- parcels ------------------------------------------------------------------------------- */

static int parcels_open(struct network *network)
{
    uint32_t capacity = network->parcels_capacity ? 2 * network->parcels_capacity : PARCELS_FIRST;
    struct parcel *parcel = reallocarray(network->parcel, capacity, sizeof(*parcel));

    if (!parcel)
        return -ENOMEM;
    network->parcel = parcel;
    network->parcels_capacity = capacity;
    return 0;
}

/* NO_PARCEL if there is no memory. */
static uint32_t parcel_take(struct network *network)
{
    uint32_t index = network->free;

    if (index != NO_PARCEL) {
        network->free = network->parcel[index].next;
        return index;
    }
    if (network->parcels == network->parcels_capacity && parcels_open(network) < 0)
        return NO_PARCEL;
    return network->parcels++;
}

static void parcel_free(struct network *network, uint32_t index)
{
    network->parcel[index].next = network->free;
    network->free = index;
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
static int64_t flight_arrival(const struct endpoint *endpoint, int to)
{
    struct network *network = endpoint->network;
    struct flights *flights = endpoint->flights;
    int64_t arrival_ns = network->now_ns + parcel_travel(network, endpoint->transport.rank, to);
    uint32_t kept = 0;

    if (!flights)
        return arrival_ns;
    for (uint32_t i = 0; i < flights->count; i++) {
        const struct flight flight = flights->list[i];

        if (flight.to == to)
            arrival_ns = max_i64(arrival_ns, flight.arrival_ns);
        if (flight.arrival_ns >= network->now_ns)
            flights->list[kept++] = flight;
    }
    flights->count = kept;
    return arrival_ns;
}

static int flights_open(struct endpoint *endpoint)
{
    struct flights *flights = endpoint->flights;
    uint32_t count = flights ? flights->count : 0;
    uint32_t capacity = flights ? 2 * flights->capacity : FLIGHTS_FIRST;

    flights = realloc(flights, sizeof(*flights) + capacity * sizeof(flights->list[0]));
    if (!flights)
        return -ENOMEM;
    flights->count = count;
    flights->capacity = capacity;
    endpoint->flights = flights;
    return 0;
}

static int flight_depart(struct endpoint *endpoint, int to, int64_t arrival_ns)
{
    struct flights *flights = endpoint->flights;

    if ((!flights || flights->count == flights->capacity) && flights_open(endpoint) < 0)
        return -ENOMEM;
    flights = endpoint->flights;
    flights->list[flights->count++] = (struct flight){arrival_ns, to};
    return 0;
}

static void parcel_arrive(struct network *network, struct endpoint *to, uint32_t index)
{
    network->parcel[index].next = NO_PARCEL;
    if (to->last != NO_PARCEL)
        network->parcel[to->last].next = index;
    else
        to->first = index;
    to->last = index;
}

/* ---- the transport ------------------------------------------------------------------------- */

static void *network_room(struct transport *transport)
{
    return ((struct endpoint *)transport)->network->room;
}

static int parcel_fill(const struct endpoint *from, struct parcel *parcel,
                       const struct message *message, size_t size)
{
    parcel->message = *message;
    parcel->message.peer = from->transport.rank;
    parcel->tasks = NULL;
    if (size == 0)
        return 0;
    parcel->tasks = malloc(size);
    if (!parcel->tasks)
        return -ENOMEM;
    memcpy(parcel->tasks, from->network->room, size);
    return 0;
}

static int network_send(struct transport *transport, const struct message *message, size_t size)
{
    struct endpoint *endpoint = (struct endpoint *)transport;
    struct network *network = endpoint->network;
    int64_t arrival_ns = flight_arrival(endpoint, message->peer);
    uint32_t index = parcel_take(network);

    if (index == NO_PARCEL)
        return -ENOMEM;
    int result = parcel_fill(endpoint, &network->parcel[index], message, size);
    if (result == 0)
        result = flight_depart(endpoint, message->peer, arrival_ns);
    if (result == 0)
        result = agenda_add(&network->agenda, (struct happening){arrival_ns, message->peer, index});
    if (result < 0) {
        free(network->parcel[index].tasks);
        parcel_free(network, index);
        return result;
    }
    network->under_way++;
    if (network->settings.sent)
        network->settings.sent(network->settings.watcher, endpoint->transport.rank, message);
    return 0;
}

static int network_receive(struct transport *transport, uint32_t epoch, struct message *message,
                           const void **tasks)
{
    struct endpoint *endpoint = (struct endpoint *)transport;
    struct network *network = endpoint->network;
    uint32_t *link = &endpoint->first;
    uint32_t before = NO_PARCEL;

    while (*link != NO_PARCEL && network->parcel[*link].message.epoch != epoch) {
        before = *link;
        link = &network->parcel[before].next;
    }
    if (*link == NO_PARCEL)
        return 0;

    uint32_t index = *link;
    const struct parcel *parcel = &network->parcel[index];

    *link = parcel->next;
    if (*link == NO_PARCEL)
        endpoint->last = before;
    free(endpoint->tasks);
    endpoint->tasks = parcel->tasks;
    *message = parcel->message;
    *tasks = endpoint->tasks;
    parcel_free(network, index);
    network->under_way--;
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

/* The places are known. */
static int network_gather(struct transport *transport, const int32_t *own, size_t count,
                          int32_t *all)
{
    (void)transport, (void)own, (void)count, (void)all;
    return -ENOSYS;
}

static int network_measure(struct transport *transport, const struct places *places,
                           const int32_t *host, int hosts, float *latency)
{
    (void)transport, (void)places, (void)host, (void)hosts, (void)latency;
    return -ENOSYS;
}

static void network_endpoint_close(struct transport *transport)
{
    struct endpoint *endpoint = (struct endpoint *)transport;

    free(endpoint->tasks);
    endpoint->tasks = NULL;
}

static const struct transport_ops network_ops = {
    .room = network_room,
    .send = network_send,
    .receive = network_receive,
    .now_ns = network_time,
    .reduce = network_reduce,
    .collect = network_collect,
    .gather = network_gather,
    .measure = network_measure,
    .close = network_endpoint_close,
};

/* ---- life ---------------------------------------------------------------------------------- */

static void places_scatter(struct network *network)
{
    const int ranks = network->settings.ranks;

    for (int i = 0; i <= ranks; i++)
        network->nodes[i] = i;
    network->places = (struct places){.ranks = ranks,
                                      .nodes = ranks,
                                      .node = network->nodes,
                                      .first = network->nodes,
                                      .member = network->nodes,
                                      .distance = distance_by_node};
    if (!network->settings.places)
        network->settings.places = &network->places;
}

int network_open(const struct network_settings *settings, struct network **out)
{
    struct network *network = calloc(1, sizeof(*network));

    if (!network)
        return -ENOMEM;
    network->settings = *settings;
    network->parcels = NO_PARCEL + 1;
    prng_seed(&network->prng, settings->seed);
    network->room = malloc(TRANSPORT_ROOM);
    network->endpoint = aligned_alloc(LINE, (size_t)settings->ranks * sizeof(*network->endpoint));
    network->nodes = calloc((size_t)settings->ranks + 1, sizeof(int32_t));
    if (!network->room || !network->endpoint || !network->nodes || parcels_open(network) < 0) {
        free(network->nodes);
        free(network->endpoint);
        free(network->room);
        free(network);
        return -ENOMEM;
    }
    places_scatter(network);
    for (int rank = 0; rank < settings->ranks; rank++)
        network->endpoint[rank] = (struct endpoint){
            .transport = {.ops = &network_ops,
                          .rank = rank,
                          .ranks = settings->ranks,
                          .processors = 1,
                          .neighbors = 1,
                          .places = network->settings.places},
            .network = network,
        };
    *out = network;
    return 0;
}

/* Those that are under way or were not received still have tasks. */
static void parcels_close(struct network *network)
{
    while (network->free != NO_PARCEL) {
        struct parcel *parcel = &network->parcel[network->free];

        parcel->tasks = NULL;
        network->free = parcel->next;
    }
    for (uint32_t index = NO_PARCEL + 1; index < network->parcels; index++)
        free(network->parcel[index].tasks);
    free(network->parcel);
}

void network_close(struct network *network)
{
    if (!network)
        return;
    for (int rank = 0; rank < network->settings.ranks; rank++)
        free(network->endpoint[rank].flights);
    parcels_close(network);
    agenda_free(&network->agenda);
    free(network->endpoint);
    free(network->nodes);
    free(network->room);
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

static void network_approach(const struct network *network)
{
    const struct network_settings *settings = &network->settings;
    const struct happening *far = agenda_peek(&network->agenda, AHEAD_FAR);
    const struct happening *near = agenda_peek(&network->agenda, AHEAD_NEAR);

    if (far) {
        __builtin_prefetch(&network->endpoint[far->rank]);
        __builtin_prefetch(&network->parcel[far->what]);
    }
    if (near) {
        __builtin_prefetch(network->endpoint[near->rank].flights);
        if (settings->approach)
            settings->approach(settings->context, near->rank);
    }
}

/* True if the rank may have its turn now. */
static bool happen(struct network *network, const struct happening *happening)
{
    struct endpoint *endpoint = &network->endpoint[happening->rank];

    if (happening->what != NO_PARCEL)
        parcel_arrive(network, endpoint, happening->what);
    else
        endpoint->waking = false;
    return !endpoint->waking;
}

int network_next(struct network *network, int *rank)
{
    struct happening happening;
    int result;

    while ((result = agenda_take(&network->agenda, &happening)) > 0) {
        network->now_ns = happening.time_ns;
        network->events++;
        network_approach(network);
        *rank = happening.rank;
        if (happen(network, &happening))
            break;
    }
    return result;
}

int network_wake(struct network *network, int rank, int64_t time_ns)
{
    network->endpoint[rank].waking = true;
    return agenda_add(&network->agenda, (struct happening){time_ns, rank, NO_PARCEL});
}
