/* SPDX-License-Identifier: BSD-3-Clause */
/* Where tasks that arrive go. */
#ifndef JUGGLE_STEAL_RUNTIME_INBOX_H
#define JUGGLE_STEAL_RUNTIME_INBOX_H

#include "libjuggle/steal/runtime/collection.h"

/* The only worker's when polling, otherwise the server's, from which threads take. */
struct worker_tasks *inbox_of(struct steal_collection *collection);

/* Tasks for that tier, for the deque where it is -1. What does not fit is stashed. */
int inbox_accept(struct steal_collection *collection, int tier, const void *tasks,
                 uint32_t count) MUST_CHECK;

/* The same of runs of tiers, `count` tasks together. */
int inbox_accept_runs(struct steal_collection *collection, const unsigned char *runs,
                      uint32_t count) MUST_CHECK;

/* What counters release of which these notes speak; how many tasks, -errno. A second task for one
 * of them cancels. */
int inbox_release(struct steal_collection *collection, const void *notes,
                  uint32_t count) MUST_CHECK;

/* Moves tasks that came too early into the empty deque; how many, or -ENOMEM if there is no memory
 * for any of them. */
int inbox_unstash(struct steal_collection *collection) MUST_CHECK;

#endif
