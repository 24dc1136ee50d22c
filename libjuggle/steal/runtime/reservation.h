/* SPDX-License-Identifier: BSD-3-Clause */
/* Reservations that were not committed when they should have been. */
#ifndef JUGGLE_STEAL_RUNTIME_RESERVATION_H
#define JUGGLE_STEAL_RUNTIME_RESERVATION_H

#include "libjuggle/steal/runtime/collection.h"

/* -EBUSY if the seeder has an open one in this collection; the runtime's message says so. */
int reservation_check(struct steal_collection *collection) MUST_CHECK;

/* Called after a task that left reservations open: drops them, and cancels the process. The
 * worker's message says so of one of them. */
void reservations_fail(struct steal_worker *worker);

/* Only drops the worker's open reservations: after an exception, which has its own message. */
void reservations_drop(struct steal_worker *worker);

#endif
