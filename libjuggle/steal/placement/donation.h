/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tasks an overloaded rank gives away (retentive stealing paper, Algorithm 1, first loop). */
#ifndef JUGGLE_STEAL_PLACEMENT_DONATION_H
#define JUGGLE_STEAL_PLACEMENT_DONATION_H

#include "libjuggle/steal/placement/ledger.h"
#include "libjuggle/steal/placement/pool.h"

struct donation {
    int rank;           /* the rank that gives */
    int64_t load_ns;    /* its load */
    int64_t average_ns; /* of all ranks */
    int64_t keep_ns;    /* load that it may keep: C times the average */
    int64_t mean_ns;    /* expected duration of a task without history */
};

/*
 * Writes the tokens of the tasks to give away, and returns how many. `order` is that of
 * ledger_sort(), and is overwritten; `tokens` has room for all entries. Tasks with an expected
 * duration of zero are kept, however many there are.
 */
uint32_t donation_choose(enum steal_donation which, struct donation donation,
                         const struct ledger *ledger, uint32_t *order, struct token *tokens);

#endif
