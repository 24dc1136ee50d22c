/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/network.h"

#include "tools/steal-sim/event_queue.h"
#include "tools/steal-sim/lines.h"
#include "tools/steal-sim/message_paths.h"
#include "tools/steal-sim/message_pool.h"
#include "tools/steal-sim/messages_in_flight.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How many events ahead memory is prefetched, because thousands of ranks do not fit into a
 * cache. Memory behind a pointer is prefetched later, when the pointer itself is in the cache. */
enum { AHEAD_FAR = EVENT_QUEUE_AHEAD - 1, AHEAD_NEAR = AHEAD_FAR / 2 };

struct endpoint {
    _Alignas(LINE) struct transport transport;
    struct network *network;
    uint32_t first, last;                /* inbox */
    struct messages_in_flight in_flight; /* messages of this rank that a later one could overtake */
    void *tasks;                         /* of the message received last */
    /* The rank is busy until this time; in its turn, its own clock. Workers that are threads read
     * it concurrently. */
    _Atomic int64_t clock_ns;
    bool waking; /* network_wake() has set the time of its next turn */
};

struct network {
    struct network_settings settings;
    struct message_paths paths;
    struct endpoint *endpoint;
    struct places places; /* used if the settings have none */
    int32_t *nodes;       /* 0, 1, 2, ..., one more than there are ranks */
    /* `what` is the index of the message that arrives, or NO_MESSAGE for the rank's turn. */
    struct event_queue queue;
    struct message_pool pool;
    unsigned char *shared; /* shared memory of each node; NULL until a rank asks for it */
    void *room;            /* send buffer of all ranks: a rank sends it in the turn that fills it */
    int64_t now_ns;
    int64_t events;
    int64_t under_way;
};

static int64_t endpoint_clock(const struct endpoint *endpoint)
{
    return atomic_load_explicit(&endpoint->clock_ns, memory_order_relaxed);
}

static void endpoint_set_clock(struct endpoint *endpoint, int64_t clock_ns)
{
    atomic_store_explicit(&endpoint->clock_ns, clock_ns, memory_order_relaxed);
}

/* Advances the rank's clock by processor time, in its own turn. */
static void endpoint_spend(struct endpoint *endpoint, int64_t time_ns)
{
    endpoint_set_clock(endpoint, processors_finish(endpoint->network->settings.processors,
                                                   endpoint->transport.rank,
                                                   endpoint_clock(endpoint), time_ns));
}

/* ---- travel -------------------------------------------------------------------------------- */

/* Returns 1 if the interface of the receiver's node delays the message: it is then in the queue
 * again, and no later message overtakes it. Returns 0 if it passes at once, or -errno. */
static int message_delay(struct network *network, const struct rank_event *event)
{
    struct queued_message *queued = message_pool_at(&network->pool, event->what);
    int64_t exit_ns;
    int error;

    if (queued->ejected)
        return 0;
    exit_ns = message_paths_exit(&network->paths, queued->message.peer, event->rank,
                                 network->now_ns, queued->size);
    queued->ejected = true;
    if (exit_ns == network->now_ns)
        return 0;
    error = event_queue_add(&network->queue,
                            (struct rank_event){exit_ns, event->rank, event->what});
    return error < 0 ? error : 1;
}

static void message_arrive(struct network *network, struct endpoint *to, uint32_t index)
{
    message_pool_at(&network->pool, index)->next = NO_MESSAGE;
    if (to->last != NO_MESSAGE)
        message_pool_at(&network->pool, to->last)->next = index;
    else
        to->first = index;
    to->last = index;
}

/* ---- the transport ------------------------------------------------------------------------- */

static void *network_room(struct transport *transport)
{
    return ((struct endpoint *)transport)->network->room;
}

static int network_send(struct transport *transport, const struct message *message, size_t size)
{
    struct endpoint *endpoint = (struct endpoint *)transport;
    struct network *network = endpoint->network;
    struct message seen = *message;
    const int to = message->peer;
    int64_t arrival_ns;
    uint32_t index;
    int error = 0;

    seen.peer = transport->rank;
    endpoint_spend(endpoint, network->settings.costs.send_ns);
    arrival_ns = message_paths_arrival(&network->paths, transport->rank, to,
                                       endpoint_clock(endpoint), size);
    arrival_ns = messages_in_flight_arrival(&endpoint->in_flight, network->now_ns, to, arrival_ns);
    index = message_pool_add(&network->pool, &seen, network->room, size);
    if (index == NO_MESSAGE)
        return -ENOMEM;
    if (message_paths_may_overtake(&network->paths, size))
        error = messages_in_flight_add(&endpoint->in_flight, to, arrival_ns);
    if (!error)
        error = event_queue_add(&network->queue, (struct rank_event){arrival_ns, to, index});
    if (error < 0) {
        free(message_pool_remove(&network->pool, index));
        return error;
    }
    network->under_way++;
    if (network->settings.sent)
        network->settings.sent(network->settings.watcher, transport->rank, message);
    return 0;
}

/* Takes the first message of this epoch out of the inbox; NO_MESSAGE if there is none. */
static uint32_t inbox_take(struct endpoint *endpoint, uint32_t epoch)
{
    const struct message_pool *pool = &endpoint->network->pool;
    uint32_t *link = &endpoint->first;
    uint32_t before = NO_MESSAGE;
    uint32_t index;

    while (*link != NO_MESSAGE && message_pool_at(pool, *link)->message.epoch != epoch) {
        before = *link;
        link = &message_pool_at(pool, before)->next;
    }
    index = *link;
    if (index == NO_MESSAGE)
        return NO_MESSAGE;
    *link = message_pool_at(pool, index)->next;
    if (*link == NO_MESSAGE)
        endpoint->last = before;
    return index;
}

static int network_receive(struct transport *transport, uint32_t epoch, struct message *message,
                           const void **tasks)
{
    struct endpoint *endpoint = (struct endpoint *)transport;
    struct network *network = endpoint->network;
    uint32_t index = inbox_take(endpoint, epoch);

    if (index == NO_MESSAGE) {
        endpoint_spend(endpoint, network->settings.costs.poll_ns);
        return 0;
    }
    endpoint_spend(endpoint, network->settings.costs.receive_ns);
    *message = message_pool_at(&network->pool, index)->message;
    free(endpoint->tasks);
    endpoint->tasks = message_pool_remove(&network->pool, index);
    *tasks = endpoint->tasks;
    network->under_way--;
    return 1;
}

static int64_t network_time(struct transport *transport)
{
    return endpoint_clock((struct endpoint *)transport);
}

static int network_reduce(struct transport *transport, enum transport_reduction reduction,
                          int64_t *values, size_t count)
{
    (void)transport, (void)reduction, (void)values, (void)count;
    return 0;
}

static int network_share(struct transport *transport, void **memory)
{
    struct endpoint *endpoint = (struct endpoint *)transport;
    struct network *network = endpoint->network;
    const struct places *places = network->settings.places;

    if (!network->shared)
        network->shared = calloc((size_t)places->nodes, TRANSPORT_SHARED);
    if (!network->shared)
        return -ENOMEM;
    *memory = network->shared + (size_t)places->node[transport->rank] * TRANSPORT_SHARED;
    return 0;
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
    .share = network_share,
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

static int endpoints_open(struct network *network)
{
    const struct network_settings *settings = &network->settings;

    network->endpoint = lines_allocate((size_t)settings->ranks, sizeof(*network->endpoint));
    if (!network->endpoint)
        return -ENOMEM;
    for (int rank = 0; rank < settings->ranks; rank++)
        network->endpoint[rank] = (struct endpoint){
            .transport = {.ops = &network_ops,
                          .rank = rank,
                          .ranks = settings->ranks,
                          .processors = 1,
                          .neighbors = 1,
                          .keeps_no_reports = settings->ranks > 1,
                          .places = settings->places},
            .network = network,
        };
    return 0;
}

int network_open(const struct network_settings *settings, struct network **out)
{
    struct network *network = calloc(1, sizeof(*network));
    int error = -ENOMEM;

    if (!network)
        return error;
    network->settings = *settings;
    network->room = malloc(TRANSPORT_ROOM);
    network->nodes = calloc((size_t)settings->ranks + 1, sizeof(int32_t));
    if (!network->room || !network->nodes)
        goto fail;
    places_scatter(network);
    error = message_paths_open(&network->settings, &network->paths);
    if (!error)
        error = endpoints_open(network);
    if (error < 0)
        goto fail;
    *out = network;
    return 0;

fail:
    network_close(network);
    return error;
}

void network_close(struct network *network)
{
    if (!network)
        return;
    for (int rank = 0; network->endpoint && rank < network->settings.ranks; rank++)
        messages_in_flight_close(&network->endpoint[rank].in_flight);
    message_pool_close(&network->pool);
    event_queue_free(&network->queue);
    message_paths_close(&network->paths);
    free(network->endpoint);
    free(network->shared);
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

static void network_prefetch(const struct network *network)
{
    const struct network_settings *settings = &network->settings;
    const struct rank_event *far = event_queue_peek(&network->queue, AHEAD_FAR);
    const struct rank_event *near = event_queue_peek(&network->queue, AHEAD_NEAR);

    if (far) {
        __builtin_prefetch(&network->endpoint[far->rank]);
        __builtin_prefetch(&network->endpoint[far->rank].clock_ns);
        if (far->what != NO_MESSAGE)
            __builtin_prefetch(message_pool_at(&network->pool, far->what));
    }
    if (near && settings->prefetch)
        settings->prefetch(settings->watcher, near->rank);
}

/* Returns 1 if the rank has its turn now, 0 if not, or -errno. The turn of a rank that is busy is
 * set to the time at which it no longer is. */
static int handle_event(struct network *network, const struct rank_event *event)
{
    struct endpoint *endpoint = &network->endpoint[event->rank];
    int delayed = 0;

    if (event->what == NO_MESSAGE)
        endpoint->waking = false;
    else if ((delayed = message_delay(network, event)) != 0)
        return delayed < 0 ? delayed : 0;
    else
        message_arrive(network, endpoint, event->what);
    if (endpoint->waking)
        return 0;
    if (endpoint_clock(endpoint) > network->now_ns)
        return network_wake(network, event->rank, endpoint_clock(endpoint));
    endpoint_set_clock(endpoint, network->now_ns);
    return 1;
}

int network_next(struct network *network, int *rank)
{
    struct rank_event event;
    int error;

    while ((error = event_queue_take(&network->queue, &event)) > 0) {
        network->now_ns = event.time_ns;
        network->events++;
        network_prefetch(network);
        error = handle_event(network, &event);
        if (error > 0)
            *rank = event.rank;
        if (error != 0)
            break;
    }
    return error;
}

int network_wake(struct network *network, int rank, int64_t time_ns)
{
    struct endpoint *endpoint = &network->endpoint[rank];

    endpoint->waking = true;
    return event_queue_add(
        &network->queue,
        (struct rank_event){max_i64(time_ns, endpoint_clock(endpoint)), rank, NO_MESSAGE});
}

int network_remind(struct network *network, int rank, int64_t time_ns)
{
    return event_queue_add(&network->queue, (struct rank_event){time_ns, rank, NO_MESSAGE});
}

void network_compute(struct network *network, int rank, int64_t time_ns)
{
    endpoint_spend(&network->endpoint[rank], time_ns);
}

int64_t network_clock(const struct network *network, int rank)
{
    return endpoint_clock(&network->endpoint[rank]);
}
