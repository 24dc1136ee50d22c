/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's talk with the others: what it hears goes into the protocol, and it does what comes out.
 */
#ifndef JUGGLE_STEAL_RUNTIME_TALK_H
#define JUGGLE_STEAL_RUNTIME_TALK_H

#include "libjuggle/steal/runtime/collection.h"

/* Sends a message of the collection, with `size` bytes of the transport's room(). */
int talk_send(struct steal_collection *collection, const struct message *message,
              size_t size) MUST_CHECK;

/* Hands the event to the protocol, and acts on it. */
int talk_step(struct steal_collection *collection, const struct peer_event *event) MUST_CHECK;

/* Deals to those who wait, if there is enough. */
int talk_deal(struct steal_collection *collection) MUST_CHECK;

/* Tells a better bound to the neighbors in the tree. */
int talk_tell_bound(struct steal_collection *collection) MUST_CHECK;

/* Up to `count` tasks for another rank, at the start. */
int talk_seed(struct steal_collection *collection, int to, uint32_t count) MUST_CHECK;

/* Hears all that has arrived; returns how many messages, -errno. */
int talk_hear_all(struct steal_collection *collection) MUST_CHECK;

/* The rank as a whole has run dry; it has tasks again, or never will. In threads mode its sessions
 * are those of its threads. */
void talk_search(struct steal_collection *collection);
void talk_search_end(struct steal_collection *collection, enum steal_state next);

#endif
