/* SPDX-License-Identifier: BSD-3-Clause */
/* How results get to rank 0, turn by turn. */
#ifndef JUGGLE_STEAL_RUNTIME_DELIVERY_H
#define JUGGLE_STEAL_RUNTIME_DELIVERY_H

#include "libjuggle/steal/runtime/collection.h"

/* Sends what rank 0 can take, or hands it on there; how much that was, -errno. Says what the rank
 * still holds: to be called before it may say that it is dry. */
int delivery_turn(struct steal_collection *collection) MUST_CHECK;

/* Says what went wrong with results on this rank; returns the status. */
int delivery_fail(struct steal_collection *collection, int status);

/* Collective, after a process or a part of one: 0, or what went wrong with results on any rank. */
int delivery_outcome(struct steal_collection *collection) MUST_CHECK;

#endif
