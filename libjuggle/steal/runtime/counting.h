/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends the notes of tasks on counters to the homes of these counters, turn by turn. */
#ifndef JUGGLE_STEAL_RUNTIME_COUNTING_H
#define JUGGLE_STEAL_RUNTIME_COUNTING_H

#include "libjuggle/steal/runtime/collection.h"

/* Sends the noted changes to their homes, and counts those whose home is this rank. Returns 1 if
 * that released a task here, else 0; -errno. Called before the rank may report that it is dry. */
int counting_turn(struct steal_collection *collection) MUST_CHECK;

/* Collective, after a process. Returns -EDEADLK on a rank where tasks still wait, or counters were
 * counted down that no task waits for; -EEXIST where two tasks waited for one counter; -ECANCELED
 * on the other ranks; 0 if there is none of these. All counters are dropped. */
int counting_outcome(struct steal_collection *collection) MUST_CHECK;

#endif
