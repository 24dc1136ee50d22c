/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recalls what is known of tasks by their keys: a task that was added anew, on any rank, gets the
 * history of the task that was executed before under the same key, on any rank.
 */
#ifndef JUGGLE_STEAL_RUNTIME_RECALL_H
#define JUGGLE_STEAL_RUNTIME_RECALL_H

#include "libjuggle/steal/placement/archive.h"
#include "libjuggle/steal/runtime/collection.h"

/* Sets `known` to what this rank knows of the tasks that it executed last, by their keys; the
 * caller frees it. Fails with -ENOMEM. */
int recall_gather(struct steal_collection *collection, struct archive_entry **known,
                  size_t *count) MUST_CHECK;

/* Collective. Sends the `known` entries of each rank to all ranks. There, tasks that never ran take
 * what is known for their keys. */
int recall_exchange(struct steal_collection *collection, const struct archive_entry *known,
                    size_t count) MUST_CHECK;

/* Collective. The same with what ranks executed last and have not restored. Does nothing if there
 * is no such task on any rank, or tasks have no keys. */
int recall_executed(struct steal_collection *collection) MUST_CHECK;

#endif
