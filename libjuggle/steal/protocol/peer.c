/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/protocol/peer.h"

#include "libjuggle/steal/protocol/amounts.h"

#include <assert.h>

void peer_init(struct peer *peer, const struct steal_properties *properties, int rank, int ranks)
{
    *peer = (struct peer){.termination = &termination_table[properties->termination],
                          .amount = properties->amount,
                          .chunk = (uint32_t)properties->chunk,
                          .rank = rank,
                          .ranks = ranks};
    victims_init(&peer->victims, properties, rank, ranks);
}

void peer_begin(struct peer *peer, uint32_t epoch, bool has_tasks)
{
    peer->epoch = epoch;
    peer->phase = PEER_RUNNING;
    peer->idle = false;
    peer->asking = false;
    peer->canceled = false;
    peer->children_quiet = 0;
    peer->wave = (struct wave){.dirty = has_tasks};
    for (int child = 0; child < TREE_FANOUT; child++)
        peer->report[child] = (struct peer_report){0};
}

/* ---- actions ------------------------------------------------------------------------------- */

static void peer_act(const struct peer *peer, struct plan *plan, enum action_kind kind,
                     struct message message)
{
    assert(plan->count < PLAN_MAX);
    message.epoch = peer->epoch;
    plan->action[plan->count++] = (struct action){kind, message};
}

void peer_send(struct peer *peer, struct plan *plan, int to, enum message_kind kind, int64_t total,
               uint32_t count)
{
    peer_act(peer, plan, ACTION_SEND,
             (struct message){.peer = to, .kind = kind, .count = count, .total = total});
}

void peer_send_children(struct peer *peer, struct plan *plan, enum message_kind kind)
{
    for (int child = 0; child < tree_children(peer->rank, peer->ranks); child++)
        peer_send(peer, plan, tree_first_child(peer->rank) + child, kind, 0, 0);
}

static void peer_send_parent(struct peer *peer, struct plan *plan, enum message_kind kind,
                             int64_t total, uint32_t count)
{
    peer_send(peer, plan, tree_parent(peer->rank), kind, total, count);
}

/* ---- leaving ------------------------------------------------------------------------------- */

static void peer_exit(struct peer *peer, struct plan *plan)
{
    peer->phase = PEER_DONE;
    peer_send_children(peer, plan, MESSAGE_EXIT);
}

static void peer_try_quiet(struct peer *peer, struct plan *plan)
{
    if (peer->asking || peer->children_quiet < tree_children(peer->rank, peer->ranks))
        return;
    if (peer->rank == 0) {
        peer_exit(peer, plan);
    } else {
        peer->phase = PEER_QUIET;
        peer_send_parent(peer, plan, MESSAGE_QUIET, 0, 0);
    }
}

void peer_finish(struct peer *peer, struct plan *plan)
{
    peer->phase = PEER_FINISHING;
    peer_send_children(peer, plan, MESSAGE_FINISH);
}

/* ---- stealing ------------------------------------------------------------------------------ */

static void peer_search(struct peer *peer, struct plan *plan)
{
    int victim = peer->asking || peer->canceled ? NO_VICTIM : victims_next(&peer->victims);

    if (victim == NO_VICTIM)
        return;
    peer->asking = true;
    peer_send(peer, plan, victim, MESSAGE_REQUEST, 0, 0);
}

/* To a thief: tasks if there are any to spare, otherwise a refusal. */
static void peer_answer(struct peer *peer, int thief, uint32_t available, struct plan *plan)
{
    uint32_t count = peer->idle || peer->canceled ? 0
                                                  : amount_of(peer->amount, peer->chunk, available);

    peer_act(peer, plan, count > 0 ? ACTION_GIVE : ACTION_SEND,
             (struct message){.peer = thief, .kind = MESSAGE_ANSWER, .count = count});
}

void peer_gave(struct peer *peer, const struct message *message, uint32_t count)
{
    (void)message;
    if (count > 0)
        peer->wave.balance++;
}

static void peer_take(struct peer *peer, const struct message *message, struct plan *plan)
{
    peer->asking = message->total > 0;
    victims_told(&peer->victims, message->peer, message->count);
    if (message->count > 0) {
        peer->wave.balance--;
        peer->wave.dirty = true;
        peer->idle = false;
    } else if (peer->phase == PEER_RUNNING) {
        peer_search(peer, plan);
    }
}

/* ---- canceling ----------------------------------------------------------------------------- */

/* On its way a cancellation counts as tasks do: as long as it has not reached all, nobody leaves.
 */
static void peer_spread_cancel(struct peer *peer, struct plan *plan, int to)
{
    peer->wave.balance++;
    peer_send(peer, plan, to, MESSAGE_CANCEL, peer->canceler, 0);
}

/* To all neighbors in the tree but the one that it came `from`. */
static void peer_cancel(struct peer *peer, struct plan *plan, int canceler, int from)
{
    const int first = tree_first_child(peer->rank);

    if (peer->canceled)
        return;
    peer->canceled = true;
    peer->canceler = canceler;
    if (peer->rank > 0 && tree_parent(peer->rank) != from)
        peer_spread_cancel(peer, plan, tree_parent(peer->rank));
    for (int child = first; child < first + tree_children(peer->rank, peer->ranks); child++)
        if (child != from)
            peer_spread_cancel(peer, plan, child);
}

static void peer_hear_cancel(struct peer *peer, const struct message *message, struct plan *plan)
{
    peer->wave.balance--;
    peer->wave.dirty = true;
    peer_cancel(peer, plan, (int)message->total, message->peer);
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

static void peer_tick(struct peer *peer, int64_t executed, struct plan *plan)
{
    struct peer_report sum = peer_progress(peer, executed);

    if (peer->rank > 0 && peer->phase == PEER_RUNNING)
        peer_send_parent(peer, plan, MESSAGE_REPORT, sum.executed, sum.active);
}

static void peer_note(struct peer *peer, const struct message *message)
{
    peer->report[message->peer - tree_first_child(peer->rank)] = (struct peer_report){
        message->total, message->count};
}

/* ---- events -------------------------------------------------------------------------------- */

static void peer_hear(struct peer *peer, const struct peer_event *event, struct plan *plan)
{
    const struct message *message = &event->message;

    switch ((enum message_kind)message->kind) {
    case MESSAGE_REQUEST:
        peer_answer(peer, message->peer, event->available, plan);
        break;
    case MESSAGE_ANSWER:
        peer_take(peer, message, plan);
        break;
    case MESSAGE_WAVE:
    case MESSAGE_ECHO:
        peer->termination->hear(peer, message, plan);
        break;
    case MESSAGE_FINISH:
        peer_finish(peer, plan);
        break;
    case MESSAGE_QUIET:
        peer->children_quiet++;
        break;
    case MESSAGE_EXIT:
        peer_exit(peer, plan);
        break;
    case MESSAGE_CANCEL:
        peer_hear_cancel(peer, message, plan);
        break;
    case MESSAGE_REPORT:
        peer_note(peer, message);
        break;
    }
}

void peer_step(struct peer *peer, const struct peer_event *event, struct plan *plan)
{
    plan->count = 0;
    switch (event->kind) {
    case PEER_DRY:
        peer->idle = true;
        peer_search(peer, plan);
        break;
    case PEER_MESSAGE:
        peer_hear(peer, event, plan);
        break;
    case PEER_CANCEL:
        peer_cancel(peer, plan, peer->rank, peer->rank);
        break;
    case PEER_TICK:
        peer_tick(peer, event->executed, plan);
        break;
    }
    if (peer->phase == PEER_RUNNING && peer->idle)
        peer->termination->advance(peer, plan);
    if (peer->phase == PEER_FINISHING)
        peer_try_quiet(peer, plan);
}
