/* SPDX-License-Identifier: BSD-3-Clause */
/* Balancing between iterations, when it is due. */
#ifndef JUGGLE_STEAL_RUNTIME_BALANCE_H
#define JUGGLE_STEAL_RUNTIME_BALANCE_H

#include "libjuggle/steal/runtime/collection.h"

/* Collective, before a process. Balances if the collection's properties say that it is due. */
int balance_as_due(struct steal_collection *collection) MUST_CHECK;

#endif
