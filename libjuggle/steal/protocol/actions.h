/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds actions to a peer's plan: messages to other ranks, and the end of the search for tasks. */
#ifndef JUGGLE_STEAL_PROTOCOL_ACTIONS_H
#define JUGGLE_STEAL_PROTOCOL_ACTIONS_H

#include "libjuggle/steal/protocol/peer.h"

void peer_act(struct peer *peer, struct steal_plan *plan, enum action_kind kind,
              struct message message);

void peer_send(struct peer *peer, struct steal_plan *plan, int to, enum message_kind kind,
               int64_t total, uint32_t count);

/* Sends to the neighbors of the rank in the tree, except `but`; to its children. */
void peer_send_neighbors(struct peer *peer, struct steal_plan *plan, enum message_kind kind,
                         int64_t total, uint32_t count, int but);
void peer_send_children(struct peer *peer, struct steal_plan *plan, enum message_kind kind,
                        int64_t total, uint32_t count);

/* Called when no task is left anywhere: begins to leave, and sends FINISH to the children in the
 * tree. */
void peer_finish(struct peer *peer, struct steal_plan *plan);

#endif
