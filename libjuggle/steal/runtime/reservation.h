/* SPDX-License-Identifier: BSD-3-Clause */
/* Reservations that were not committed when they should have been. */
#ifndef JUGGLE_STEAL_RUNTIME_RESERVATION_H
#define JUGGLE_STEAL_RUNTIME_RESERVATION_H

#include "libjuggle/steal/runtime/collection.h"

/* -EBUSY if the seeder has an open one in this collection; the runtime's message says so. */
int reservation_check(struct steal_collection *collection) MUST_CHECK;

/* After a task that left some open: they are dropped, and the process under way is canceled. */
void reservations_expose(struct steal_worker *worker);

/* The same after an exception, which has a message of its own. */
void reservations_drop(struct steal_worker *worker);

#endif
