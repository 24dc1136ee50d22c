/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a message may reach a peer as it is now: what the protocol promises, in every build. */
#ifndef JUGGLE_STEAL_PROTOCOL_MESSAGE_CHECK_H
#define JUGGLE_STEAL_PROTOCOL_MESSAGE_CHECK_H

#include "libjuggle/ground/fault.h"
#include "libjuggle/steal/protocol/peer.h"

/* `tasks_max`: so many fit in one message. What is wrong is noted; the message is to be heard by
 * nobody then. */
bool message_check(const struct peer *peer, const struct message *message, uint32_t tasks_max,
                   struct fault *fault);

#endif
