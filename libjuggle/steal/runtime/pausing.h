/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stopping before all is done. Whoever wants it sets a bit here; the rank tells all others along
 * their tree, begins no task any more, and counts as idle with the tasks that it keeps. So the
 * search for the end finds the quiet moment: no task runs, no message is under way, notes and
 * results are where they belong. What all ranks then know, how many tasks are left and what is
 * wanted, came up and went down the tree with the last messages.
 *
 * Interleavings. With threads the server says that the rank is idle when a bit is set and no thread
 * is active. A thread that is about to take tasks from another makes itself active first, and then
 * looks at the bits; the server looks at the bits first, and then at who is active. All four are
 * sequentially consistent: either the thread sees the bit, and takes nothing, or the server sees
 * the thread, and waits.
 */
#ifndef JUGGLE_STEAL_RUNTIME_PAUSING_H
#define JUGGLE_STEAL_RUNTIME_PAUSING_H

#include "libjuggle/steal/runtime/collection.h"

/* Something wants all ranks to stop, or it is time: tells them. 1: it did, 0, -errno. */
int pausing_turn(struct steal_collection *collection) MUST_CHECK;

/* Collective, when it is over on all ranks: 1 if they are to go on now. 0: they are not, and
 * whatever is left is kept; -errno. The message says why. */
int pausing_settle(struct steal_collection *collection) MUST_CHECK;

/* In a new epoch, with what there is. */
void pausing_go_on(struct steal_collection *collection);

/* -EBUSY if it was stopped before all was done. */
int pausing_check(struct steal_collection *collection) MUST_CHECK;

#endif
