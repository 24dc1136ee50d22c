/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/protocol/actions.h"

void peer_act(struct peer *peer, struct steal_plan *plan, enum action_kind kind,
              struct message message)
{
    if (!HOLDS(&peer->fault, plan->count < PLAN_MAX))
        return;
    message.epoch = peer->epoch;
    plan->action[plan->count++] = (struct action){kind, message};
}

void peer_send(struct peer *peer, struct steal_plan *plan, int to, enum message_kind kind,
               int64_t total, uint32_t count)
{
    peer_act(peer, plan, ACTION_SEND,
             (struct message){.peer = to, .kind = kind, .count = count, .total = total});
}

void peer_send_neighbors(struct peer *peer, struct steal_plan *plan, enum message_kind kind,
                         int64_t total, uint32_t count, int but)
{
    int neighbor[TREE_FANOUT + 1];
    const int neighbors = tree_neighbors(peer->rank, peer->ranks, but, neighbor);

    for (int i = 0; i < neighbors; i++)
        peer_send(peer, plan, neighbor[i], kind, total, count);
}

void peer_send_children(struct peer *peer, struct steal_plan *plan, enum message_kind kind,
                        int64_t total, uint32_t count)
{
    peer_send_neighbors(peer, plan, kind, total, count, tree_parent(peer->rank));
}

void peer_finish(struct peer *peer, struct steal_plan *plan)
{
    peer->phase = PEER_FINISHING;
    peer_send_children(peer, plan, MESSAGE_FINISH, 0, 0);
}
