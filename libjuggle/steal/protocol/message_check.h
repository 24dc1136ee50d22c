/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a message may reach a peer as it is now: what the protocol promises, in every build. */
#ifndef JUGGLE_STEAL_PROTOCOL_MESSAGE_CHECK_H
#define JUGGLE_STEAL_PROTOCOL_MESSAGE_CHECK_H

#include "libjuggle/ground/fault.h"
#include "libjuggle/steal/protocol/peer.h"

/* `tasks_max`: the tasks that fit in one message. False, with a note of what is wrong: then the
 * message must be dropped. */
bool message_check(const struct peer *peer, const struct message *message, uint32_t tasks_max,
                   struct fault *fault);

#endif
