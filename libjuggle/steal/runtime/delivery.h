/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends results to rank 0, turn by turn. */
#ifndef JUGGLE_STEAL_RUNTIME_DELIVERY_H
#define JUGGLE_STEAL_RUNTIME_DELIVERY_H

#include "libjuggle/steal/runtime/collection.h"

/* Sends as many results as rank 0 can take; on rank 0, passes them on. Returns how many messages,
 * or on rank 0 whether there were any; -errno. Updates `results_pending` of the peer, and so must
 * be called before the rank may report that it is dry. */
int delivery_turn(struct steal_collection *collection) MUST_CHECK;

/* Sets the message for a failure with results on this rank; returns `status`. */
int delivery_fail(struct steal_collection *collection, int status);

/* Collective, after a process or a part of one. Returns 0, or what failed with results on any
 * rank. */
int delivery_outcome(struct steal_collection *collection) MUST_CHECK;

#endif
