/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the lifelines of all ranks of a cluster. A rank asks a lifeline at most once until tasks
 * come back along it, and never has two requests under way. A dormant rank has asked all its
 * lifelines and sends no request. A victim that has refused a request over a lifeline remembers it
 * until it sends tasks along that lifeline, and it deals tasks only along such lifelines.
 */
#ifndef JUGGLE_TESTS_LIFELINE_WATCH_H
#define JUGGLE_TESTS_LIFELINE_WATCH_H

#include "libjuggle/steal/runtime/collection.h"

struct lifeline_watch;

struct lifeline_watch *lifeline_watch_open(int ranks);
void lifeline_watch_close(struct lifeline_watch *watch);

/* To be called when the rank begins steal_process(), or goes on after a pause. */
void lifeline_watch_begin(struct lifeline_watch *watch, int rank);

/* To be called when the rank sends a message. */
void lifeline_watch_sent(struct lifeline_watch *watch, int from, const struct message *message);

/* To be called before and after each turn of a rank. */
void lifeline_watch_before(struct lifeline_watch *watch, const struct steal_collection *collection);
void lifeline_watch_after(struct lifeline_watch *watch, const struct steal_collection *collection);

/* Returns a text that says what went wrong first, or NULL if nothing did. */
const char *lifeline_watch_wrong(const struct lifeline_watch *watch);

#endif
