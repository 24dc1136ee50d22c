/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks in every build whether the protocol allows a message in the present state of a peer. */
#ifndef JUGGLE_STEAL_PROTOCOL_MESSAGE_CHECK_H
#define JUGGLE_STEAL_PROTOCOL_MESSAGE_CHECK_H

#include "libjuggle/ground/fault.h"
#include "libjuggle/steal/protocol/peer.h"

/* `tasks_max`: most tasks that fit in one message. Returns false, and notes the failed check in
 * `fault`, if the message is not allowed; then it must be dropped. */
bool message_check(const struct peer *peer, const struct message *message, uint32_t tasks_max,
                   struct fault *fault);

#endif
