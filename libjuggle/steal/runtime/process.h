/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processing a collection, in turns, so that one thread can play many ranks: begin, turns until it
 * is over, end. steal_process() is just that.
 */
#ifndef JUGGLE_STEAL_RUNTIME_PROCESS_H
#define JUGGLE_STEAL_RUNTIME_PROCESS_H

#include "libjuggle/steal/runtime/collection.h"

void process_begin(struct steal_collection *collection);

/* Hears what arrived, then executes some tasks if there are any. Returns how much it did, 0 if the
 * rank can only wait for messages; -errno. */
int process_turn(struct steal_collection *collection) MUST_CHECK;

bool process_over(const struct steal_collection *collection);

void process_end(struct steal_collection *collection);

/* Calls for the memory that an idle rank's turn needs. */
void process_prefetch(const struct steal_collection *collection);

#endif
