/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stopping before all tasks are done. To stop, a bit of `halt` is set in the collection on any
 * rank. That rank tells all others along the tree of the ranks. A rank that has heard of it begins
 * no task any more, and counts as idle although it keeps its tasks. So termination finds a quiet
 * moment: no task runs, no message is under way, notes on counters are at their homes, and results
 * are with rank 0. All ranks then know how many tasks are left and what is wanted, because the last
 * messages brought this up and down the tree.
 *
 * Interleavings. With threads the server says that the rank is idle when a bit is set and no thread
 * is active. A thread that is about to take tasks from another makes itself active first, and then
 * looks at the bits; the server looks at the bits first, and then at the number of active threads.
 * All four accesses are sequentially consistent: either the thread sees the bit, and takes nothing,
 * or the server sees the thread, and waits.
 */
#ifndef JUGGLE_STEAL_RUNTIME_PAUSING_H
#define JUGGLE_STEAL_RUNTIME_PAUSING_H

#include "libjuggle/steal/runtime/collection.h"

/* If a stop or a checkpoint was asked for on this rank, or is due by the clock, tells all ranks to
 * pause. Returns 1 if it did, 0 if not, or -errno. */
int pausing_turn(struct steal_collection *collection) MUST_CHECK;

/* Collective, after an epoch has ended on all ranks. If tasks are left, writes the checkpoint, if
 * the collection has one. Returns 1 if a new epoch has begun with them; 0 if the process ends: all
 * is done, canceled, or stopped with its tasks kept; -errno, and the message says why. */
int pausing_settle(struct steal_collection *collection) MUST_CHECK;

/* Begins a new epoch with the tasks that this rank holds. */
void pausing_go_on(struct steal_collection *collection);

/* -EBUSY if the collection was stopped before all was done. Always 0 from within a task. */
int pausing_check(struct steal_collection *collection) MUST_CHECK;

#endif
