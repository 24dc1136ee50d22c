/* SPDX-License-Identifier: BSD-3-Clause */
/* The inbox: tasks that arrive from other ranks, or that counters release, are put into it. */
#ifndef JUGGLE_STEAL_RUNTIME_INBOX_H
#define JUGGLE_STEAL_RUNTIME_INBOX_H

#include "libjuggle/steal/runtime/collection.h"

/* Returns the tasks of the only worker when polling, otherwise those of the server, from which
 * threads take. */
struct worker_tasks *inbox_of(const struct steal_collection *collection);

/* Puts tasks into that tier. If `tier` is -1 they go into the deque, or if tasks have an order,
 * into the last tier. Tasks that do not fit are stashed. 0 or -ENOMEM. */
int inbox_accept(struct steal_collection *collection, int tier, const void *tasks,
                 uint32_t count) MUST_CHECK;

/* The same for the tasks of a message that tiers_pack() has filled, `count` tasks in all. -EPROTO
 * if the runs do not add up to `count`, or a tier does not exist. */
int inbox_accept_runs(struct steal_collection *collection, const unsigned char *runs,
                      uint32_t count) MUST_CHECK;

/* Applies notes on counters that have their home here, and accepts the tasks that are released.
 * Returns how many, or -errno. A second task for the same counter cancels the process. */
int inbox_release(struct steal_collection *collection, const void *notes,
                  uint32_t count) MUST_CHECK;

/* Moves the tasks of the latest stashed arrival into the inbox, which is empty by now. Returns how
 * many, or -ENOMEM if there is no memory for any of them. */
int inbox_unstash(struct steal_collection *collection) MUST_CHECK;

#endif
