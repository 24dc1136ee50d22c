/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/protocol/peer.h"

void peer_init(struct peer *peer, const struct steal_properties *properties, int rank, int ranks)
{
    *peer = (struct peer){
        .termination = &termination_table[properties->termination], .rank = rank, .ranks = ranks};
    victims_init(&peer->victims, properties->victim, properties->isolate, rank, ranks,
                 properties->seed);
}

void peer_begin(struct peer *peer, uint32_t epoch, bool has_tasks)
{
    peer->epoch = epoch;
    peer->phase = PEER_RUNNING;
    peer->idle = false;
    peer->asking = false;
    peer->children_quiet = 0;
    peer->wave = (struct wave){.dirty = has_tasks};
    for (int child = 0; child < TREE_FANOUT; child++)
        peer->report[child] = (struct peer_report){0};
}

/* ---- the tree ------------------------------------------------------------------------------ */

int peer_parent(const struct peer *peer)
{
    return (peer->rank - 1) / TREE_FANOUT;
}

static int peer_first_child(const struct peer *peer)
{
    return peer->rank * TREE_FANOUT + 1;
}

int peer_children(const struct peer *peer)
{
    return (int)clamp_i64(peer->ranks - peer_first_child(peer), 0, TREE_FANOUT);
}

void peer_send(struct peer *peer, struct peer_plan *plan, int to, enum message_kind kind,
               int64_t total, uint32_t count)
{
    plan->message[plan->count++] = (struct message){
        .peer = to, .epoch = peer->epoch, .kind = kind, .count = count, .total = total};
}

void peer_send_children(struct peer *peer, struct peer_plan *plan, enum message_kind kind)
{
    for (int child = 0; child < peer_children(peer); child++)
        peer_send(peer, plan, peer_first_child(peer) + child, kind, 0, 0);
}

/* ---- leaving ------------------------------------------------------------------------------- */

static void peer_exit(struct peer *peer, struct peer_plan *plan)
{
    peer->phase = PEER_DONE;
    peer_send_children(peer, plan, MESSAGE_EXIT);
}

static void peer_try_quiet(struct peer *peer, struct peer_plan *plan)
{
    if (peer->asking || peer->children_quiet < peer_children(peer))
        return;
    if (peer->rank == 0) {
        peer_exit(peer, plan);
    } else {
        peer->phase = PEER_QUIET;
        peer_send(peer, plan, peer_parent(peer), MESSAGE_QUIET, 0, 0);
    }
}

void peer_finish(struct peer *peer, struct peer_plan *plan)
{
    peer->phase = PEER_FINISHING;
    peer_send_children(peer, plan, MESSAGE_FINISH);
}

/* ---- stealing ------------------------------------------------------------------------------ */

static void peer_search(struct peer *peer, struct peer_plan *plan)
{
    int victim = victims_next(&peer->victims);

    if (victim == NO_VICTIM)
        return;
    peer->asking = true;
    peer_send(peer, plan, victim, MESSAGE_REQUEST, 0, 0);
}

static void peer_give(struct peer *peer, int thief, uint32_t granted, struct peer_plan *plan)
{
    if (granted > 0)
        peer->wave.balance++;
    peer_send(peer, plan, thief, MESSAGE_TASKS, 0, granted);
}

static void peer_take(struct peer *peer, uint32_t count, struct peer_plan *plan)
{
    peer->asking = false;
    if (count > 0) {
        peer->wave.balance--;
        peer->wave.dirty = true;
        peer->idle = false;
    } else if (peer->phase == PEER_RUNNING) {
        peer_search(peer, plan);
    }
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

static void peer_tick(struct peer *peer, int64_t executed, struct peer_plan *plan)
{
    struct peer_report sum = peer_progress(peer, executed);

    if (peer->rank > 0 && peer->phase == PEER_RUNNING)
        peer_send(peer, plan, peer_parent(peer), MESSAGE_REPORT, sum.executed, sum.active);
}

static void peer_note(struct peer *peer, const struct message *message)
{
    peer->report[message->peer - peer_first_child(peer)] = (struct peer_report){message->total,
                                                                                message->count};
}

/* ---- events -------------------------------------------------------------------------------- */

static void peer_hear(struct peer *peer, const struct peer_event *event, struct peer_plan *plan)
{
    const struct message *message = &event->message;

    switch ((enum message_kind)message->kind) {
    case MESSAGE_REQUEST:
        peer_give(peer, message->peer, event->granted, plan);
        break;
    case MESSAGE_TASKS:
        peer_take(peer, message->count, plan);
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
    case MESSAGE_REPORT:
        peer_note(peer, message);
        break;
    }
}

void peer_step(struct peer *peer, const struct peer_event *event, struct peer_plan *plan)
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
    case PEER_TICK:
        peer_tick(peer, event->executed, plan);
        break;
    }
    if (peer->phase == PEER_RUNNING && peer->idle)
        peer->termination->advance(peer, plan);
    if (peer->phase == PEER_FINISHING)
        peer_try_quiet(peer, plan);
}
