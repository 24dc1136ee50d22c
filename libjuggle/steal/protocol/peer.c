/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts, in this order:
 * - creation, leaving
 * - stealing: asking, refusing, answering, taking
 * - canceling, pausing, bounds
 * - progress
 * - events: a message or a change of the rank becomes steps of the above */
#include "libjuggle/steal/protocol/peer.h"

#include "libjuggle/steal/protocol/actions.h"
#include "libjuggle/steal/protocol/amounts.h"

static const struct termination *const terminations[] = {
    [STEAL_TERMINATION_TREE] = &tree_waves,
    [STEAL_TERMINATION_RING] = &ring_waves,
    [STEAL_TERMINATION_FINISH] = &finish_counting,
};

/* Memory for the rank's list of changes, and for rank 0's count of each rank. */
static size_t counts_memory_size(const struct steal_properties *properties, int rank, int ranks)
{
    if (properties->termination != STEAL_TERMINATION_FINISH)
        return 0;
    return COUNTS_MAX * sizeof(struct change) + (rank == 0 ? (size_t)ranks * sizeof(int32_t) : 0);
}

size_t peer_memory_size(const struct steal_properties *properties, int rank,
                        const struct places *places)
{
    return victims_memory_size(properties, places) +
           counts_memory_size(properties, rank, places->ranks);
}

void peer_init(struct peer *peer, const struct steal_properties *properties, int rank,
               const struct places *places, void *memory)
{
    int ranks = places->ranks;
    int lifelines = properties->isolate ? 0 : properties->lifelines;
    int radix = properties->radix > 0 ? properties->radix : lifelines_radix(lifelines, ranks);
    size_t used = victims_memory_size(properties, places);

    *peer = (struct peer){.termination = terminations[properties->termination],
                          .amount = properties->amount,
                          .chunk = (uint32_t)properties->chunk,
                          .tries_max = properties->tries,
                          .rank = rank,
                          .ranks = ranks};
    victims_init(&peer->victims, properties, rank, places, memory);
    lifelines_init(&peer->lifelines, lifelines, radix, rank, ranks);
    if (counts_memory_size(properties, rank, ranks) == 0)
        return;
    peer->counts.change = (struct change *)((char *)memory + used);
    if (rank == 0)
        peer->counts.count_of_rank = (int32_t *)(peer->counts.change + COUNTS_MAX);
}

void peer_begin(struct peer *peer, uint32_t epoch, bool has_tasks)
{
    peer->epoch = epoch;
    peer->phase = PEER_RUNNING;
    peer->idle = false;
    peer->asking = false;
    peer->canceled = false;
    peer->results_pending = false;
    peer->pause_reasons = 0;
    peer->left = 0;
    peer->children_quiet = 0;
    lifelines_begin(&peer->lifelines);
    peer->termination->begin(peer, has_tasks);
    for (int child = 0; child < TREE_FANOUT; child++)
        peer->report[child] = (struct peer_report){0};
}

/* ---- leaving ------------------------------------------------------------------------------- */

static void peer_exit(struct peer *peer, struct steal_plan *plan)
{
    peer->phase = PEER_DONE;
    peer_send_children(peer, plan, MESSAGE_EXIT, peer->left, peer->pause_reasons);
}

static void peer_try_quiet(struct peer *peer, struct steal_plan *plan)
{
    if (peer->asking || peer->children_quiet < tree_children(peer->rank, peer->ranks))
        return;
    if (peer->rank == 0) {
        peer_exit(peer, plan);
    } else {
        peer->phase = PEER_QUIET;
        peer_send(peer, plan, tree_parent(peer->rank), MESSAGE_QUIET, peer->left,
                  peer->pause_reasons);
    }
}

/* ---- stealing ------------------------------------------------------------------------------ */

static void peer_ask(struct peer *peer, int victim, bool lifeline, struct steal_plan *plan)
{
    if (!HOLDS(&peer->fault, victim >= 0 && victim < peer->ranks && victim != peer->rank))
        return;
    peer->asking = true;
    peer->asking_lifeline = lifeline;
    peer_send(peer, plan, victim, MESSAGE_REQUEST, 0, lifeline);
}

/* True if the rank is canceled or pauses: then it neither gives tasks nor asks for them. */
static bool peer_gives_nothing(const struct peer *peer)
{
    return peer->canceled || peer->pause_reasons != 0;
}

/* Asks the next victim or lifeline, if there is one. Without lifelines a thief never gives up. */
static void peer_search(struct peer *peer, struct steal_plan *plan)
{
    int victim = NO_VICTIM;

    if (peer->asking || peer_gives_nothing(peer))
        return;
    if (peer->lifelines.count == 0 || peer->tries-- > 0)
        victim = victims_next(&peer->victims);
    if (victim != NO_VICTIM)
        peer_ask(peer, victim, false, plan);
    else if ((victim = lifelines_ask(&peer->lifelines)) >= 0)
        peer_ask(peer, victim, true, plan);
}

static void peer_dry(struct peer *peer, int64_t left, struct steal_plan *plan)
{
    peer->idle = true;
    peer->left = left;
    peer->refused = false;
    peer->tries = peer->tries_max;
    peer->lifelines.next = 0;
    peer_search(peer, plan);
}

/* A thief that is refused over a lifeline waits there for tasks. */
static void peer_refuse(struct peer *peer, int thief)
{
    if (peer->answering_lifeline)
        lifelines_remember(&peer->lifelines, thief, &peer->fault);
}

/* Answers a thief: gives tasks if any can be spared, otherwise refuses. */
static void peer_answer(struct peer *peer, const struct message *request, uint32_t available,
                        struct steal_plan *plan)
{
    const bool none = peer->idle || peer_gives_nothing(peer);
    const uint32_t count = none ? 0 : amount_of(peer->amount, peer->chunk, available);

    peer->answering_lifeline = request->count > 0;
    if (count > 0) {
        peer_act(peer, plan, ACTION_GIVE,
                 (struct message){.peer = request->peer, .kind = MESSAGE_ANSWER, .count = count});
    } else {
        peer_refuse(peer, request->peer);
        peer_send(peer, plan, request->peer, MESSAGE_ANSWER, 0, 0);
    }
}

/* distribute() of the lifeline paper: deals equal parts to each waiting thief, and keeps one. */
static void peer_deal(struct peer *peer, uint32_t available, struct steal_plan *plan)
{
    uint32_t takers;

    if (peer->idle || peer_gives_nothing(peer) || available < 2)
        return;
    takers = (uint32_t)min_i64(peer->lifelines.waiting_count, available - 1);
    for (uint32_t i = 0; i < takers; i++)
        peer_act(peer, plan, ACTION_GIVE,
                 (struct message){.peer = peer->lifelines.waiting[i],
                                  .kind = MESSAGE_DEAL,
                                  .count = (available + 1) / (takers + 1)});
}

void peer_seed(struct peer *peer, int to, uint32_t count, struct steal_plan *plan)
{
    plan->count = 0;
    peer_act(peer, plan, ACTION_GIVE,
             (struct message){.peer = to, .kind = MESSAGE_SEED, .count = count});
    peer->termination->advance(peer, plan);
}

void peer_gave(struct peer *peer, const struct message *message)
{
    if (message->count > 0)
        peer->termination->gave(peer, message->peer);
    else if (message->kind == MESSAGE_ANSWER)
        peer_refuse(peer, message->peer);
    if (message->count > 0 && message->kind == MESSAGE_DEAL && message->total == 0)
        lifelines_forget(&peer->lifelines, message->peer);
}

static void peer_take(struct peer *peer)
{
    peer->idle = false;
    peer->termination->took(peer);
}

static void peer_answered(struct peer *peer, const struct message *message, struct steal_plan *plan)
{
    peer->asking = message->total > 0;
    victims_answered(&peer->victims, message->peer, message->count);
    if (message->count > 0) {
        if (peer->asking_lifeline && !peer->asking)
            lifelines_answered(&peer->lifelines, message->peer);
        peer_take(peer);
    } else if (peer->phase == PEER_RUNNING && peer->idle) {
        peer->refused = true;
        peer_search(peer, plan);
    }
}

/* The last part of a deal clears its lifeline. `asking` stays as it is, because a deal is no answer
 * to a request that is out at the same time. */
static void peer_dealt(struct peer *peer, const struct message *message)
{
    if (message->total == 0)
        lifelines_answered(&peer->lifelines, message->peer);
    peer_take(peer);
}

/* ---- canceling ----------------------------------------------------------------------------- */

/* Cancels, and tells all neighbors in the tree except `from`. A cancellation on its way is counted
 * like a message with tasks: no rank leaves before it has reached all ranks. */
static void peer_cancel(struct peer *peer, struct steal_plan *plan, int canceler, int from)
{
    int neighbor[TREE_FANOUT + 1];
    const int neighbors = tree_neighbors(peer->rank, peer->ranks, from, neighbor);

    if (peer->canceled)
        return;
    peer->canceled = true;
    peer->canceler = canceler;
    for (int i = 0; i < neighbors; i++) {
        peer->termination->gave(peer, neighbor[i]);
        peer_send(peer, plan, neighbor[i], MESSAGE_CANCEL, canceler, 0);
    }
}

static void peer_handle_cancel(struct peer *peer, const struct message *message,
                               struct steal_plan *plan)
{
    peer->termination->took(peer);
    peer_cancel(peer, plan, (int)message->total, message->peer);
}

/* ---- pausing ------------------------------------------------------------------------------- */

/*
 * Spreads the reasons along the tree. They need not be counted, for the reason given for bounds: a
 * rank that has not heard of them when no task runs any more learns them with EXIT.
 */
static void peer_pause(struct peer *peer, struct steal_plan *plan, uint32_t reasons, int from)
{
    if (peer->phase != PEER_RUNNING || (reasons & ~(uint32_t)peer->pause_reasons) == 0)
        return;
    peer->pause_reasons |= (uint8_t)reasons;
    peer_send_neighbors(peer, plan, MESSAGE_PAUSE, 0, peer->pause_reasons, from);
}

/* Everything below that child is quiet. */
static void peer_handle_quiet(struct peer *peer, const struct message *message)
{
    peer->children_quiet++;
    peer->left += message->total;
    peer->pause_reasons |= (uint8_t)message->count;
}

static void peer_handle_exit(struct peer *peer, const struct message *message,
                             struct steal_plan *plan)
{
    peer->left = message->total;
    peer->pause_reasons = (uint8_t)message->count;
    peer_exit(peer, plan);
}

/* ---- bounds -------------------------------------------------------------------------------- */

/*
 * Tells a better bound along the tree. A child receives all that its parent sent before EXIT, and a
 * parent receives all that its child sent before QUIET; so no such message is left when all is
 * over, and it need not be counted. Once no task is left, QUIET and EXIT bring the best bound to
 * all ranks.
 */
static void peer_spread_bound(struct peer *peer, struct steal_plan *plan, int from)
{
    if (peer->phase == PEER_RUNNING)
        peer_send_neighbors(peer, plan, MESSAGE_BOUND, 0, 0, from);
}

/* ---- progress ------------------------------------------------------------------------------ */

struct peer_report peer_progress(const struct peer *peer, int64_t executed)
{
    struct peer_report sum = {.executed = executed, .active = !peer->idle};

    for (int child = 0; child < TREE_FANOUT; child++) {
        sum.executed += peer->report[child].executed;
        sum.active += peer->report[child].active;
    }
    return sum;
}

static void peer_tick(struct peer *peer, int64_t executed, struct steal_plan *plan)
{
    struct peer_report sum = peer_progress(peer, executed);

    if (peer->rank > 0 && peer->phase == PEER_RUNNING)
        peer_send(peer, plan, tree_parent(peer->rank), MESSAGE_REPORT, sum.executed, sum.active);
}

static void peer_note(struct peer *peer, const struct message *message)
{
    peer->report[message->peer - tree_first_child(peer->rank)] = (struct peer_report){
        message->total, message->count};
}

/* ---- events -------------------------------------------------------------------------------- */

static void peer_handle(struct peer *peer, const struct peer_event *event, struct steal_plan *plan)
{
    const struct message *message = &event->message;

    switch ((enum message_kind)message->kind) {
    case MESSAGE_REQUEST:
        peer_answer(peer, message, event->available, plan);
        break;
    case MESSAGE_ANSWER:
        peer_answered(peer, message, plan);
        break;
    case MESSAGE_DEAL:
        peer_dealt(peer, message);
        break;
    case MESSAGE_SEED:
        peer_take(peer);
        break;
    case MESSAGE_WAVE:
    case MESSAGE_ECHO:
    case MESSAGE_COUNTS:
        peer->termination->handle(peer, message, event->change, plan);
        break;
    case MESSAGE_FINISH:
        peer_finish(peer, plan);
        break;
    case MESSAGE_QUIET:
        peer_handle_quiet(peer, message);
        break;
    case MESSAGE_EXIT:
        peer_handle_exit(peer, message, plan);
        break;
    case MESSAGE_PAUSE:
        peer_pause(peer, plan, message->count, message->peer);
        break;
    case MESSAGE_CANCEL:
        peer_handle_cancel(peer, message, plan);
        break;
    case MESSAGE_REPORT:
        peer_note(peer, message);
        break;
    case MESSAGE_COUNTERS:
        peer->termination->took(peer);
        if (event->available > 0)
            peer->idle = false;
        break;
    case MESSAGE_RESULT:
        peer_send(peer, plan, message->peer, MESSAGE_TAKEN, 0, 0);
        break;
    case MESSAGE_TAKEN:
    case MESSAGE_BOUND:
    case MESSAGE_BROKEN:
        break;
    }
}

void peer_step(struct peer *peer, const struct peer_event *event, struct steal_plan *plan)
{
    plan->count = 0;
    switch (event->kind) {
    case PEER_DRY:
        peer_dry(peer, event->left, plan);
        break;
    case PEER_MESSAGE:
        peer_handle(peer, event, plan);
        break;
    case PEER_CANCEL:
        peer_cancel(peer, plan, peer->rank, peer->rank);
        break;
    case PEER_PAUSE:
        peer_pause(peer, plan, event->message.count, peer->rank);
        break;
    case PEER_BOUND:
        peer_spread_bound(peer, plan, event->message.peer);
        break;
    case PEER_GAVE:
        peer->termination->gave(peer, event->message.peer);
        break;
    case PEER_FREED:
        peer->results_pending = false;
        break;
    case PEER_SPARE:
        peer_deal(peer, event->available, plan);
        break;
    case PEER_TICK:
        peer_tick(peer, event->executed, plan);
        break;
    }
    if (peer->phase == PEER_RUNNING)
        peer->termination->advance(peer, plan);
    if (peer->phase == PEER_FINISHING)
        peer_try_quiet(peer, plan);
}
