/* SPDX-License-Identifier: BSD-3-Clause */
/* The strategies that are tables: whom a thief asks, and how much a victim gives. */
#ifndef JUGGLE_STEAL_PROTOCOL_STRATEGY_H
#define JUGGLE_STEAL_PROTOCOL_STRATEGY_H

#include "libjuggle/policy/prng.h"
#include "libjuggle/policy/units.h"
#include "libjuggle/steal.h"

#include <stdbool.h>

enum { NO_VICTIM = -1 };

/* A rank's choice of victims: the state that every entry of the table works on. */
struct victims {
    int (*next)(struct victims *victims);
    struct prng prng;
    int self;
    int ranks;
    int last; /* asked */
};

/* `isolate`: there is never a victim. Each rank derives random numbers of its own from `seed`. */
void victims_init(struct victims *victims, enum steal_victim victim, bool isolate, int self,
                  int ranks, uint64_t seed);

/* Whom to ask next; NO_VICTIM to wait for tasks instead. */
int victims_next(struct victims *victims);

/* How many of the `available` tasks a victim gives: 0 to available. */
uint32_t amount_of(enum steal_amount amount, uint32_t chunk, uint32_t available);

#endif
