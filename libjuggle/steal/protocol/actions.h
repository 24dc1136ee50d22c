/* SPDX-License-Identifier: BSD-3-Clause */
/* What a peer adds to its plan: messages to other ranks, and that no task is left. */
#ifndef JUGGLE_STEAL_PROTOCOL_ACTIONS_H
#define JUGGLE_STEAL_PROTOCOL_ACTIONS_H

#include "libjuggle/steal/protocol/peer.h"

void peer_act(struct peer *peer, struct steal_plan *plan, enum action_kind kind,
              struct message message);

void peer_send(struct peer *peer, struct steal_plan *plan, int to, enum message_kind kind,
               int64_t total, uint32_t count);

/* To the ranks beside it in the tree but for one of them; to its children. */
void peer_send_neighbors(struct peer *peer, struct steal_plan *plan, enum message_kind kind,
                         int64_t total, uint32_t count, int but);
void peer_send_children(struct peer *peer, struct steal_plan *plan, enum message_kind kind,
                        int64_t total, uint32_t count);

/* No task is left anywhere: it says so to its children in the tree. */
void peer_finish(struct peer *peer, struct steal_plan *plan);

#endif
