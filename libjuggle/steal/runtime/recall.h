/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recalling what is known of tasks by their keys: tasks that were added anew, wherever that was,
 * get the histories of those that were executed before under the same keys, wherever that was.
 */
#ifndef JUGGLE_STEAL_RUNTIME_RECALL_H
#define JUGGLE_STEAL_RUNTIME_RECALL_H

#include "libjuggle/steal/placement/archive.h"
#include "libjuggle/steal/runtime/collection.h"

/* What this rank knows of the tasks that it executed last, by their keys: to be freed. Fails with
 * -ENOMEM. */
int recall_gather(struct steal_collection *collection, struct archive_entry **known,
                  size_t *count) MUST_CHECK;

/* Collective. All that the ranks know reaches all ranks; their tasks that never ran take what is
 * theirs. */
int recall_exchange(struct steal_collection *collection, const struct archive_entry *known,
                    size_t count) MUST_CHECK;

/* Collective. The same with what was executed last, if that was not restored anywhere. */
int recall_executed(struct steal_collection *collection) MUST_CHECK;

#endif
