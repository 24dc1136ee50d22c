/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - states, and the search for work
 * - sending: what the protocol decided, as messages and tasks
 * - receiving: what arrives is checked and handed on */
#include "libjuggle/steal/runtime/talk.h"

#include "libjuggle/steal/protocol/message_check.h"
#include "libjuggle/steal/protocol/peer_check.h"
#include "libjuggle/steal/runtime/broken.h"
#include "libjuggle/steal/runtime/inbox.h"
#include "libjuggle/steal/runtime/team.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The worker that talks to other ranks: the only one when polling, otherwise the server. */
static struct steal_worker *talk_speaker(struct steal_collection *collection)
{
    return &collection->runtime->worker[collection->worker_tasks_length - 1];
}

static void talk_enter(struct steal_collection *collection, enum steal_state state)
{
    activity_enter(&talk_speaker(collection)->activity, state, runtime_now(collection->runtime));
}

void talk_search(struct steal_collection *collection)
{
    struct steal_worker *speaker = talk_speaker(collection);
    int64_t now_ns = runtime_now(collection->runtime);

    if (collection->runtime->team)
        activity_enter(&speaker->activity, STEAL_STATE_SEARCHING, now_ns);
    else
        session_begin(inbox_of(collection), speaker, now_ns);
}

void talk_search_end(struct steal_collection *collection, enum steal_state next)
{
    struct steal_worker *speaker = talk_speaker(collection);
    int64_t now_ns = runtime_now(collection->runtime);

    if (collection->runtime->team)
        activity_enter(&speaker->activity, next, now_ns);
    else
        session_end(inbox_of(collection), speaker, next, now_ns);
    collection->polled_ns = now_ns;
}

/* ---- sending ------------------------------------------------------------------------------- */

/* The worker whose tasks are given. */
static struct worker_tasks *talk_source(const struct steal_collection *collection)
{
    return collection->runtime->team ? team_richest(collection) : &collection->worker_tasks[0];
}

/* How many tasks can be given. A polling rank decides only now what it shares, and keeps a task;
 * workers of a team share all along. */
static uint32_t talk_available(struct steal_collection *collection)
{
    uint32_t available;

    if (!collection->runtime->team) {
        available = worker_tasks_count(&collection->worker_tasks[0]);
        return available - (available > 0);
    }
    available = worker_tasks_shared(talk_source(collection));
    if (available == 0)
        team_want(collection->runtime->team);
    return available;
}

/* The class of a distance: 0, up to 1, up to 2, up to 4, ... */
static int distance_class(double distance)
{
    int exponent = 0;

    if (distance > 0 && frexp(distance, &exponent) == 0.5)
        exponent--;
    return distance > 0 ? (int)clamp_i64(exponent + 1, 1, STEAL_REPORT_DISTANCES - 1) : 0;
}

/* Counts a request. Its distance is looked up only if it can be reported. */
static void talk_attempt(struct steal_collection *collection, int victim)
{
    const struct places *places;

    collection->statistics.steals_attempted++;
    if (collection->transport->keeps_no_reports)
        return;
    places = collection->runtime->places;
    collection->worker_tasks[0].report_data->attempts[distance_class(
        places->distance(places, collection->peer.rank, victim))]++;
}

int talk_send(struct steal_collection *collection, const struct message *message, size_t size)
{
    struct transport *transport = collection->transport;
    struct message sent = *message;

    if (collection->bound)
        sent.bound = bound_value(collection->bound);
    collection->statistics.messages++;
    if (message->kind == MESSAGE_REQUEST)
        talk_attempt(collection, message->peer);
    return transport->ops->send(transport, &sent, size);
}

/* True if the message tells a bound that its receiver has, because it shares the cell with this
 * rank. */
static bool talk_is_known(const struct steal_collection *collection, const struct message *message)
{
    const struct places *places = collection->runtime->places;
    const int32_t *host = places->host ? places->host : places->node;

    return message->kind == MESSAGE_BOUND && collection->bound->shared_cell >= 0 &&
           host[message->peer] == host[collection->peer.rank];
}

/* Claims up to `want` tasks for another rank; returns how many. */
static uint32_t talk_claim(struct steal_collection *collection, struct deque_tail *tail,
                           uint32_t want, struct deque_claim *claim)
{
    if (!collection->runtime->team && deque_tail_count(tail) < want)
        deque_release(&collection->worker_tasks[0].deque, want - deque_tail_count(tail));
    return deque_claim(tail, want, claim);
}

/* Sends the tasks in the transport's room with the message. */
static int talk_give_room(struct steal_collection *collection, const struct message *message,
                          size_t size)
{
    peer_gave(&collection->peer, message);
    collection->statistics.tasks_given += message->count;
    return talk_send(collection, message, size);
}

/* Sends a part of a claim with the message, whose `total` says how many tasks follow. */
static int talk_give_part(struct steal_collection *collection, struct deque_tail *tail,
                          const struct deque_claim *part, struct message *message)
{
    struct transport *transport = collection->transport;
    void *room = transport->ops->room(transport);

    if (!room)
        return -ENOMEM;
    if (!deque_copy(tail, part, room))
        return broken_tasks(collection);
    message->count = part->count;
    return talk_give_room(collection, message, part->count * collection->stride);
}

/* There is nothing to give: a request is answered, but an empty deal is not sent. */
static int talk_give_nothing(struct steal_collection *collection, struct message message)
{
    message.count = 0;
    message.total = 0;
    peer_gave(&collection->peer, &message);
    return message.kind == MESSAGE_ANSWER ? talk_send(collection, &message, 0) : 0;
}

/* The part of each tier that a rank gets: the share of the work that it would get of the number of
 * tasks, or if the amount is a number, the best tasks. */
static struct tiers_part talk_part(struct steal_collection *collection,
                                   const struct message *message, const struct worker_tasks *source)
{
    const bool all = !collection->runtime->team;
    const uint32_t held = all ? worker_tasks_count(source) : worker_tasks_shared(source);

    if (message->kind != MESSAGE_ANSWER)
        return (struct tiers_part){.fraction = (double)message->count / (double)max_i64(held, 1)};
    if (collection->properties.amount == STEAL_AMOUNT_HALF)
        return (struct tiers_part){.fraction = 0.5};
    return (struct tiers_part){.most = message->count};
}

/* Sends the next tasks of the claims with the message, whose `total` says how many follow. */
static int talk_give_claims(struct steal_collection *collection, struct tiers *tiers,
                            struct tiers_claims *claims, struct message *message)
{
    struct transport *transport = collection->transport;
    void *room = transport->ops->room(transport);
    size_t size;

    if (!room)
        return -ENOMEM;
    size = tiers_pack(tiers, claims, room, TRANSPORT_ROOM, &message->count);
    if (size == 0)
        return broken_tasks(collection);
    message->total = claims->left;
    return talk_give_room(collection, message, size);
}

/* As talk_give(), of tasks that have an order. */
static int talk_give_ordered(struct steal_collection *collection, struct message message)
{
    struct worker_tasks *source = talk_source(collection);
    struct tiers_part part = talk_part(collection, &message, source);
    struct tiers_claims claims;
    int result = 0;

    if (tiers_claim(&source->tiers, !collection->runtime->team, &part, &claims) == 0)
        return talk_give_nothing(collection, message);
    while (claims.left > 0 && result == 0)
        result = talk_give_claims(collection, &source->tiers, &claims, &message);
    tiers_complete(&source->tiers, &claims);
    return result;
}

static int talk_give(struct steal_collection *collection, struct message message)
{
    const uint32_t part_max = (uint32_t)(TRANSPORT_ROOM / collection->stride);
    struct deque_tail *tail = &talk_source(collection)->deque.tail;
    struct deque_claim claim;
    uint32_t granted = talk_claim(collection, tail, message.count, &claim);
    int result = 0;

    if (granted == 0)
        return talk_give_nothing(collection, message);
    for (uint32_t done = 0; done < granted && result == 0;) {
        struct deque_claim part = {claim.first + done, (uint32_t)min_i64(granted - done, part_max)};

        done += part.count;
        message.total = granted - done;
        result = talk_give_part(collection, tail, &part, &message);
    }
    deque_complete(tail, &claim);
    return result;
}

static int talk_counts(struct steal_collection *collection, const struct message *message,
                       const struct change *change)
{
    size_t size = message->count * sizeof(*change);
    void *room = collection->transport->ops->room(collection->transport);

    if (!room)
        return -ENOMEM;
    memcpy(room, change, size);
    return talk_send(collection, message, size);
}

static int talk_act(struct steal_collection *collection, const struct steal_plan *plan, int which)
{
    const struct action *action = &plan->action[which];

    switch (action->kind) {
    case ACTION_SEND:
        if (talk_is_known(collection, &action->message))
            return 0;
        if (action->message.kind == MESSAGE_COUNTS)
            return talk_counts(collection, &action->message, plan->change);
        return talk_send(collection, &action->message, 0);
    case ACTION_GIVE:
        return collection->worker_tasks[0].ordered ? talk_give_ordered(collection, action->message)
                                                   : talk_give(collection, action->message);
    }
    return -EINVAL;
}

static int talk_act_all(struct steal_collection *collection, const struct steal_plan *plan)
{
    int result = 0;

    if (!peer_check(&collection->peer, plan))
        return broken_here(collection, fault_text(&collection->peer.fault));
    for (int i = 0; i < plan->count && result == 0; i++)
        result = talk_act(collection, plan, i);
    return result;
}

/* Checks, when the process is about to end, that this rank holds no task: nobody would execute it.
 * Looks into each deque, also those that are not marked as occupied, because a lost task would be
 * in one of them. */
static bool talk_holds_nothing(const struct steal_collection *collection, struct fault *fault)
{
    bool holds = HOLDS(fault, collection->stash == NULL);

    for (int i = 0; i < collection->worker_tasks_length && holds; i++) {
        const struct worker_tasks *worker_tasks = &collection->worker_tasks[i];
        const struct tiers *tiers = &worker_tasks->tiers;

        holds = HOLDS(fault, deque_count(&worker_tasks->deque) == 0);
        for (int tier = 0; tier < tiers->count && holds; tier++)
            holds = HOLDS(fault, deque_count(&tiers->deque[tier]) == 0);
    }
    return holds;
}

int talk_step(struct steal_collection *collection, const struct peer_event *event)
{
    struct peer *peer = &collection->peer;
    const bool was_running = peer->phase == PEER_RUNNING;
    struct fault fault = {0};
    struct steal_plan plan;

    peer_step(peer, event, &plan);
    if (was_running && peer->phase != PEER_RUNNING && !peer->canceled && !peer->pause_reasons &&
        !talk_holds_nothing(collection, &fault))
        return broken_here(collection, fault_text(&fault));
    return talk_act_all(collection, &plan);
}

int talk_deal(struct steal_collection *collection)
{
    if (!peer_awaited(&collection->peer) || collection->peer.idle)
        return 0;
    return talk_step(collection, &(struct peer_event){.kind = PEER_SPARE,
                                                      .available = talk_available(collection)});
}

int talk_tell_bound(struct steal_collection *collection)
{
    struct peer_event event = {.kind = PEER_BOUND};

    if (!collection->bound || !bound_news(collection->bound, &event.message.peer))
        return 0;
    return talk_step(collection, &event);
}

int talk_seed(struct steal_collection *collection, int to, uint32_t count)
{
    struct steal_plan plan;

    peer_seed(&collection->peer, to, count, &plan);
    return talk_act_all(collection, &plan);
}

/* ---- receiving ----------------------------------------------------------------------------- */

static int talk_taken(struct steal_collection *collection, const struct message *message,
                      const void *tasks)
{
    struct steal_statistics *statistics = &collection->statistics;

    if (message->kind == MESSAGE_ANSWER) {
        statistics->steals_failed += message->count == 0;
        statistics->steals_successful += message->count > 0 && message->total == 0;
    }
    statistics->deals += message->kind == MESSAGE_DEAL && message->total == 0;
    if (message->count == 0)
        return 0;
    statistics->tasks_taken += message->count;
    if (collection->peer.idle)
        talk_search_end(collection, STEAL_STATE_WORKING);
    if (collection->worker_tasks[0].ordered)
        return inbox_accept_runs(collection, tasks, message->count);
    return inbox_accept(collection, -1, tasks, message->count);
}

/* The most tasks that one message can bring. If tasks have an order it is only a bound, because
 * they are packed in runs. */
static uint32_t talk_tasks_max(const struct steal_collection *collection)
{
    return collection->worker_tasks[0].ordered ? TRANSPORT_ROOM
                                               : TRANSPORT_ROOM / (uint32_t)collection->stride;
}

/* Checks that a collection with these properties can get such a message, and has asked for it if it
 * is a confirmation. */
static bool talk_expects(const struct steal_collection *collection, const struct message *message,
                         struct fault *fault)
{
    const struct results *results = collection->results;

    if (message->kind == MESSAGE_RESULT)
        return HOLDS(fault, results != NULL) && HOLDS(fault, message->total <= TRANSPORT_ROOM);
    if (message->kind == MESSAGE_TAKEN)
        return HOLDS(fault, results != NULL && results->under_way > 0);
    if (message->kind == MESSAGE_COUNTERS)
        return HOLDS(fault, collection->waiting != NULL);
    return true;
}

static int talk_check(struct steal_collection *collection, const struct message *message)
{
    struct fault fault = {0};

    if (!message_check(&collection->peer, message, talk_tasks_max(collection), &fault) ||
        !talk_expects(collection, message, &fault))
        return broken_by(collection, message, fault_text(&fault));
    return message->kind == MESSAGE_BROKEN ? broken_elsewhere(collection, message) : 0;
}

static int talk_handle(struct steal_collection *collection, const struct message *message,
                       const void *payload)
{
    struct peer_event event = {.kind = PEER_MESSAGE, .message = *message};
    bool answering = message->kind == MESSAGE_REQUEST && !collection->peer.idle;
    int result = talk_check(collection, message);

    if (result < 0)
        return result;
    if (collection->bound)
        bound_handle(collection->bound, message->peer, message->bound);
    if (answering) {
        talk_enter(collection, STEAL_STATE_ANSWERING);
        event.available = talk_available(collection);
    } else if (message->kind == MESSAGE_ANSWER || message->kind == MESSAGE_DEAL ||
               message->kind == MESSAGE_SEED) {
        result = talk_taken(collection, message, payload);
    } else if (message->kind == MESSAGE_RESULT) {
        results_handle(collection->results, payload, (size_t)message->total);
    } else if (message->kind == MESSAGE_TAKEN) {
        collection->results->under_way--;
    } else if (message->kind == MESSAGE_COUNTERS) {
        const int released = inbox_release(collection, payload, message->count);

        if (released > 0 && collection->peer.idle)
            talk_search_end(collection, STEAL_STATE_WORKING);
        event.available = (uint32_t)max_i64(released, 0);
        result = released < 0 ? released : 0;
    } else if (message->kind == MESSAGE_COUNTS) {
        event.change = payload;
    }
    if (result == 0)
        result = talk_step(collection, &event);
    if (collection->peer.canceled)
        halt_set(collection, HALT_CANCEL);
    if (collection->peer.pause_reasons && halt_of(collection) == 0)
        halt_set(collection, HALT_PAUSE);
    if (answering)
        talk_enter(collection, STEAL_STATE_WORKING);
    return result;
}

int talk_handle_all(struct steal_collection *collection)
{
    struct transport *transport = collection->transport;
    struct message message;
    const void *tasks;
    int handled = 0;
    int result = 0;

    while (collection->peer.phase != PEER_DONE &&
           (result = transport->ops->receive(transport, collection->peer.epoch, &message, &tasks)) >
               0) {
        result = talk_handle(collection, &message, tasks);
        if (result < 0)
            break;
        handled++;
    }
    return result < 0 ? result : handled;
}
