/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moves tasks of a collection between ranks, so that all ranks are expected to be done at the same
 * time. Works in turns, so that one thread can play many ranks: open, begin, turns until it is
 * over, end.
 */
#ifndef JUGGLE_STEAL_RUNTIME_REBALANCE_H
#define JUGGLE_STEAL_RUNTIME_REBALANCE_H

#include "libjuggle/steal/placement/balancer.h"
#include "libjuggle/steal/runtime/collection.h"

struct rebalance {
    struct steal_collection *collection;
    struct steal_balance settings;
    struct balancer balancer;
    void *branches; /* memory of the balancer */
    /* The tasks that have arrived, and once this rank gives some away, all that it has. */
    struct ledger *sort_buffer;
    bool cleared; /* all of this rank's tasks lie in the sort buffer */
    int64_t held; /* tasks of this rank before any moved */
    uint32_t arrivals;
    uint32_t departures;
    int lost; /* -errno of a message that was not sent, for which others would wait; 0: none */
    int64_t begin_ns;
};

/* The settings must have their defaults filled in. On failure the runtime's message says why. */
int rebalance_open(struct steal_collection *collection, const struct steal_balance *settings,
                   struct rebalance **rebalance) MUST_CHECK;

void rebalance_begin(struct rebalance *rebalance);

/* Handles the messages that have arrived. Returns how many, or -errno if this rank or another one
 * cannot go on. */
int rebalance_turn(struct rebalance *rebalance) MUST_CHECK;

bool rebalance_over(const struct rebalance *rebalance);

/* Puts all tasks back into the deques, and frees `rebalance`. Returns 0; -errno if balancing failed
 * on this rank, in which case nothing has moved; -ENOMEM if tasks were lost because there was no
 * memory, or -EPROTO if a check failed: broken_share() tells the other ranks. */
int rebalance_end(struct rebalance *rebalance);

/* Frees one that has not begun. Accepts NULL. */
void rebalance_free(struct rebalance *rebalance);

#endif
