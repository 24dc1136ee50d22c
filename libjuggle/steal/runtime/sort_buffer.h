/* SPDX-License-Identifier: BSD-3-Clause */
/* A buffer in which the tasks of a rank are sorted: out of the deques, and back into them. */
#ifndef JUGGLE_STEAL_RUNTIME_SORT_BUFFER_H
#define JUGGLE_STEAL_RUNTIME_SORT_BUFFER_H

#include "libjuggle/steal/runtime/collection.h"

/* Sets `sort_buffer` to the ledger of the worker that owns the inbox. The caller clears it first:
 * it may have tasks that this worker has executed. -ENOMEM, and the runtime's message says so. */
int sort_buffer_open(struct steal_collection *collection, struct ledger **sort_buffer) MUST_CHECK;

/* Number of tasks in the deques of all workers. */
int64_t sort_buffer_held(const struct steal_collection *collection);

/* Moves all tasks to the sort buffer, in the order in which they would be executed. */
void sort_buffer_clear_deques(struct steal_collection *collection, struct ledger *sort_buffer);

/* How many more tasks this rank has room for. `cleared`: the sort buffer holds all that it has. */
uint32_t sort_buffer_room(const struct steal_collection *collection,
                          const struct ledger *sort_buffer, bool cleared);

/*
 * Moves the tasks of the sort buffer, unless they are marked as gone, into the deques. Notes how
 * long they are expected to take. They are executed in the collection's order; with a team the
 * longest first, and workers get about the same load. -ENOMEM if tasks were lost because there was
 * no memory: the runtime has then failed on this rank, and broken_share() tells the others.
 */
int sort_buffer_place(struct steal_collection *collection, struct ledger *sort_buffer,
                      bool cleared) MUST_CHECK;

#endif
