/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the tasks of a rank lie while they are sorted: out of the deques, and back into them. */
#ifndef JUGGLE_STEAL_RUNTIME_DESK_H
#define JUGGLE_STEAL_RUNTIME_DESK_H

#include "libjuggle/steal/runtime/collection.h"

/* Where tasks are sorted: the ledger of what those executed that arrived, to be cleared first. */
int desk_open(struct steal_collection *collection, struct ledger **desk) MUST_CHECK;

/* Tasks in the deques of all workers. */
int64_t desk_held(const struct steal_collection *collection);

/* Moves all tasks to the desk, what is to be executed first coming first. */
void desk_clear_deques(struct steal_collection *collection, struct ledger *desk);

/* How many tasks more can come. `cleared`: the desk holds all that there are. */
uint32_t desk_room(const struct steal_collection *collection, const struct ledger *desk,
                   bool cleared);

/*
 * Moves the tasks of the desk that are not gone into the deques, where they are executed in the
 * collection's order, and notes what is expected of this rank. Workers of a team get about the same
 * load.
 */
int desk_place(struct steal_collection *collection, struct ledger *desk, bool cleared) MUST_CHECK;

#endif
