/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the tasks of a rank lie while they are sorted: out of the deques, and back into them. */
#ifndef JUGGLE_STEAL_RUNTIME_SORT_BUFFER_H
#define JUGGLE_STEAL_RUNTIME_SORT_BUFFER_H

#include "libjuggle/steal/runtime/collection.h"

/* Where tasks are sorted: the ledger of what those executed that arrived, to be cleared first. */
int sort_buffer_open(struct steal_collection *collection, struct ledger **sort_buffer) MUST_CHECK;

/* Tasks in the deques of all workers. */
int64_t sort_buffer_held(const struct steal_collection *collection);

/* Moves all tasks to the sort buffer, in the order of their execution. */
void sort_buffer_clear_deques(struct steal_collection *collection, struct ledger *sort_buffer);

/* How many tasks more can come. `cleared`: the sort buffer holds all that there are. */
uint32_t sort_buffer_room(const struct steal_collection *collection,
                          const struct ledger *sort_buffer, bool cleared);

/*
 * Moves the tasks of the sort buffer that are not gone into the deques, where they are executed in
 * the collection's order, and notes what is expected of this rank. Workers of a team get about the
 * same load.
 */
int sort_buffer_place(struct steal_collection *collection, struct ledger *sort_buffer,
                      bool cleared) MUST_CHECK;

#endif
