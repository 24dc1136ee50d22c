/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moving the tasks of a collection to where they will be done at the same time, in turns, so that
 * one thread can play many ranks: open, begin, turns until it is over, end.
 */
#ifndef JUGGLE_STEAL_RUNTIME_REBALANCE_H
#define JUGGLE_STEAL_RUNTIME_REBALANCE_H

#include "libjuggle/steal/placement/balancer.h"
#include "libjuggle/steal/runtime/collection.h"

struct rebalance {
    struct steal_collection *collection;
    struct steal_balance settings;
    struct balancer balancer;
    void *branches; /* of the balancer */
    /* Tasks on the move: those that came, and once this rank gives some away, all that it has. */
    struct ledger *sort_buffer;
    bool cleared; /* all of this rank's tasks lie in the sort buffer */
    int64_t held; /* before */
    uint32_t arrivals;
    uint32_t departures;
    int lost; /* -errno: what could not be sent, and others would wait for; 0: nothing */
    int64_t begin_ns;
};

/* With settings whose defaults are filled in. On failure the runtime's message says why. */
int rebalance_open(struct steal_collection *collection, const struct steal_balance *settings,
                   struct rebalance **rebalance) MUST_CHECK;

void rebalance_begin(struct rebalance *rebalance);

/* Hears what arrived. Returns how many messages, -errno if this rank or another cannot go on. */
int rebalance_turn(struct rebalance *rebalance) MUST_CHECK;

bool rebalance_over(const struct rebalance *rebalance);

/* Puts all tasks where they belong, and frees it. 0, or if nothing moved because that failed here,
 * -errno. */
int rebalance_end(struct rebalance *rebalance);

/* Of one that has not begun. Accepts NULL. */
void rebalance_free(struct rebalance *rebalance);

#endif
