/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/protocol/message_check.h"

static bool from_parent(const struct peer *peer, const struct message *message, struct fault *fault)
{
    return HOLDS(fault, peer->rank > 0) && HOLDS(fault, message->peer == tree_parent(peer->rank));
}

static bool from_child(const struct peer *peer, const struct message *message, struct fault *fault)
{
    return HOLDS(fault, message->peer > 0) &&
           HOLDS(fault, tree_parent(message->peer) == peer->rank);
}

static bool from_neighbor(const struct peer *peer, const struct message *message,
                          struct fault *fault)
{
    return HOLDS(fault, (peer->rank > 0 && message->peer == tree_parent(peer->rank)) ||
                            (message->peer > 0 && tree_parent(message->peer) == peer->rank));
}

static bool tasks_hold(const struct message *message, uint32_t tasks_max, struct fault *fault)
{
    return HOLDS(fault, message->count <= tasks_max) && HOLDS(fault, message->total >= 0);
}

/* Checks the number of tasks left, and the reasons to pause. */
static bool reasons_hold(const struct message *message, struct fault *fault)
{
    return HOLDS(fault, message->count <= (PEER_SAVE | PEER_STOP)) &&
           HOLDS(fault, message->total >= 0);
}

static bool kind_holds(const struct peer *peer, const struct message *message, uint32_t tasks_max,
                       struct fault *fault)
{
    switch ((enum message_kind)message->kind) {
    case MESSAGE_REQUEST:
        return HOLDS(fault, message->peer != peer->rank) && HOLDS(fault, message->count <= 1);
    case MESSAGE_ANSWER:
        return HOLDS(fault, peer->asking) && tasks_hold(message, tasks_max, fault) &&
               HOLDS(fault, message->count > 0 || message->total == 0) &&
               HOLDS(fault, message->count == 0 || peer->phase == PEER_RUNNING);
    case MESSAGE_DEAL:
    case MESSAGE_SEED:
        return HOLDS(fault, message->count > 0) && tasks_hold(message, tasks_max, fault) &&
               HOLDS(fault, peer->phase == PEER_RUNNING);
    case MESSAGE_WAVE:
        return HOLDS(fault, !peer->wave.here) && HOLDS(fault, peer->phase == PEER_RUNNING);
    case MESSAGE_ECHO:
        return from_child(peer, message, fault) &&
               HOLDS(fault, peer->wave.echoes < tree_children(peer->rank, peer->ranks));
    case MESSAGE_COUNTS:
        return HOLDS(fault, peer->rank == 0) && HOLDS(fault, message->count <= COUNTS_MAX);
    case MESSAGE_FINISH:
        return from_parent(peer, message, fault) && HOLDS(fault, peer->phase == PEER_RUNNING) &&
               HOLDS(fault, peer->idle);
    case MESSAGE_QUIET:
        return from_child(peer, message, fault) && HOLDS(fault, peer->phase == PEER_FINISHING) &&
               HOLDS(fault, peer->children_quiet < tree_children(peer->rank, peer->ranks)) &&
               reasons_hold(message, fault);
    case MESSAGE_EXIT:
        return from_parent(peer, message, fault) && HOLDS(fault, peer->phase == PEER_QUIET) &&
               reasons_hold(message, fault);
    case MESSAGE_CANCEL:
        return from_neighbor(peer, message, fault) &&
               HOLDS(fault, message->total >= 0 && message->total < peer->ranks);
    case MESSAGE_REPORT:
        return from_child(peer, message, fault) && HOLDS(fault, message->total >= 0) &&
               HOLDS(fault, message->count <= (uint32_t)peer->ranks);
    case MESSAGE_COUNTERS:
        return HOLDS(fault, message->count > 0) && HOLDS(fault, peer->phase == PEER_RUNNING);
    case MESSAGE_RESULT:
        return HOLDS(fault, peer->rank == 0) && HOLDS(fault, message->total >= 0);
    case MESSAGE_TAKEN:
        return HOLDS(fault, message->peer == 0);
    case MESSAGE_PAUSE:
        return from_neighbor(peer, message, fault) && HOLDS(fault, message->count > 0) &&
               reasons_hold(message, fault);
    case MESSAGE_BOUND:
        return from_neighbor(peer, message, fault);
    case MESSAGE_BROKEN:
        return from_neighbor(peer, message, fault) &&
               HOLDS(fault, message->total >= 0 && message->total < peer->ranks);
    }
    return HOLDS(fault, message->kind <= MESSAGE_BROKEN);
}

bool message_check(const struct peer *peer, const struct message *message, uint32_t tasks_max,
                   struct fault *fault)
{
    return HOLDS(fault, message->peer >= 0 && message->peer < peer->ranks) &&
           HOLDS(fault, message->epoch == peer->epoch) &&
           kind_holds(peer, message, tasks_max, fault);
}
