/* SPDX-License-Identifier: BSD-3-Clause */
/* What tasks say of counters goes to where these are at home, turn by turn. */
#ifndef JUGGLE_STEAL_RUNTIME_COUNTING_H
#define JUGGLE_STEAL_RUNTIME_COUNTING_H

#include "libjuggle/steal/runtime/collection.h"

/* Sends what was noted, and counts what is at home here: 1 if that released a task here, 0, -errno.
 * Before the rank may say that it is dry. */
int counting_turn(struct steal_collection *collection) MUST_CHECK;

/* Collective, after a process: -EDEADLK on a rank where tasks still wait, or counters were counted
 * down for nothing. All is forgotten. */
int counting_outcome(struct steal_collection *collection) MUST_CHECK;

#endif
