/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a peer, and what it wants done, is as the protocol leaves it: after each step, in every
 * build. */
#ifndef JUGGLE_STEAL_PROTOCOL_PEER_CHECK_H
#define JUGGLE_STEAL_PROTOCOL_PEER_CHECK_H

#include "libjuggle/steal/protocol/peer.h"

/* What is wrong is noted in the peer's fault; nothing of the plan is to be done then. */
bool peer_check(struct peer *peer, const struct steal_plan *plan);

#endif
