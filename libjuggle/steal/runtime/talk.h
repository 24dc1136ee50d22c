/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's messages: those that arrive are given to the protocol, and the actions that it returns
 * are carried out. */
#ifndef JUGGLE_STEAL_RUNTIME_TALK_H
#define JUGGLE_STEAL_RUNTIME_TALK_H

#include "libjuggle/steal/runtime/collection.h"

/* Sends a message of the collection, with `size` bytes of the transport's room(). */
int talk_send(struct steal_collection *collection, const struct message *message,
              size_t size) MUST_CHECK;

/* Gives the event to the protocol, and carries out the actions that it returns. */
int talk_step(struct steal_collection *collection, const struct peer_event *event) MUST_CHECK;

/* Deals tasks to ranks that wait at lifelines, if there are enough. */
int talk_deal(struct steal_collection *collection) MUST_CHECK;

/* Tells a better bound to the neighbors in the tree. */
int talk_tell_bound(struct steal_collection *collection) MUST_CHECK;

/* Gives up to `count` tasks to another rank, at the start. */
int talk_seed(struct steal_collection *collection, int to, uint32_t count) MUST_CHECK;

/* Handles all messages that have arrived; returns how many, or -errno. */
int talk_handle_all(struct steal_collection *collection) MUST_CHECK;

/* Begin and end the search of the rank as a whole: it has run dry; it has tasks again, or the
 * process ends. In threads mode its sessions are those of its threads. */
void talk_search(struct steal_collection *collection);
void talk_search_end(struct steal_collection *collection, enum steal_state next);

#endif
