/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watches the lifelines of all ranks of a cluster: each is asked at most once until tasks come back
 * along it, nobody has two requests out, who has given up asking sends no request, is remembered at
 * the end of each of its lifelines unless tasks are on their way, and gets some when there are any.
 */
#ifndef JUGGLE_TESTS_LIFELINE_WATCH_H
#define JUGGLE_TESTS_LIFELINE_WATCH_H

#include "libjuggle/steal/runtime/collection.h"

struct lifeline_watch;

struct lifeline_watch *lifeline_watch_open(int ranks);
void lifeline_watch_close(struct lifeline_watch *watch);

/* The rank begins a process. */
void lifeline_watch_begin(struct lifeline_watch *watch, int rank);

/* The rank sends. */
void lifeline_watch_sent(struct lifeline_watch *watch, int from, const struct message *message);

/* Around each turn of a rank. */
void lifeline_watch_before(struct lifeline_watch *watch, const struct steal_collection *collection);
void lifeline_watch_after(struct lifeline_watch *watch, const struct steal_collection *collection);

/* What is wrong so far, NULL if nothing is. */
const char *lifeline_watch_wrong(const struct lifeline_watch *watch);

#endif
