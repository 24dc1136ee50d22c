/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the state of a peer and its plan against what the protocol allows; called after each step,
 * in every build. */
#ifndef JUGGLE_STEAL_PROTOCOL_PEER_CHECK_H
#define JUGGLE_STEAL_PROTOCOL_PEER_CHECK_H

#include "libjuggle/steal/protocol/peer.h"

/* Returns false, and notes the failed check in the peer's fault, if something is wrong; then no
 * action of the plan may be done. */
bool peer_check(struct peer *peer, const struct steal_plan *plan);

#endif
