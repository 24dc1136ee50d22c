/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processing a collection in turns, so that one thread can play many ranks: process_begin(),
 * process_turn() until process_over(), process_end(). steal_process() is made of these.
 */
#ifndef JUGGLE_STEAL_RUNTIME_PROCESS_H
#define JUGGLE_STEAL_RUNTIME_PROCESS_H

#include "libjuggle/steal/runtime/collection.h"

void process_begin(struct steal_collection *collection);

/* Handles the messages that have arrived, then executes some tasks if there are any. Returns a
 * number above 0 if it did anything, 0 if the rank can only wait for messages, or -errno. */
int process_turn(struct steal_collection *collection) MUST_CHECK;

bool process_over(const struct steal_collection *collection);

void process_end(struct steal_collection *collection);

/* Prefetches the cache lines that an idle rank's turn needs. */
void process_prefetch(const struct steal_collection *collection);

#endif
