/* SPDX-License-Identifier: BSD-3-Clause */
/* Balancing between iterations: its settings, and when it is time. */
#ifndef JUGGLE_STEAL_RUNTIME_BALANCE_H
#define JUGGLE_STEAL_RUNTIME_BALANCE_H

#include "libjuggle/steal/runtime/collection.h"

/* Fills in the defaults. */
void balance_resolve(struct steal_balance *settings);

/* Whether any setting is not zero. */
bool balance_is_set(const struct steal_balance *settings);

/* -EINVAL if one would be ignored; before they are resolved. */
int balance_needs(struct steal_runtime *runtime, const struct steal_balance *settings) MUST_CHECK;

/* Of resolved settings: -EINVAL, and the runtime's message. */
int balance_check(struct steal_runtime *runtime, const struct steal_balance *settings) MUST_CHECK;

/* Collective: as ranks_agree(). */
int balance_agree(struct steal_runtime *runtime, int status,
                  const struct steal_balance *settings) MUST_CHECK;

/* Collective, before a process: balances if it is time, by the collection's properties. */
int balance_as_due(struct steal_collection *collection) MUST_CHECK;

#endif
