/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that balance their tasks by message-driven steps. The network delays messages at random and
 * splits them into parts of random length. A checker sees the state of all ranks: no task is lost
 * or doubled, all ranks agree on the decision, and no message arrives after the end.
 */
#ifndef JUGGLE_TESTS_ARENA_H
#define JUGGLE_TESTS_ARENA_H

#include "libjuggle/steal/placement/balancer.h"
#include "libjuggle/steal/placement/donation.h"

struct arena_task {
    int64_t id; /* 0 to tasks - 1 */
    int64_t load_ns;
    int rank;
    bool unmeasured; /* never ran */
};

struct arena {
    struct arena_task *task; /* by id; after arena_run(), with their new ranks */
    int tasks;
    struct shape shape;
    struct balancer_options options;
    enum steal_donation donation;
    uint64_t seed;
    int starved; /* a rank that has no memory for tokens, or -1 */
    int full;    /* a rank that has no room for tasks, or -1 */

    /* Set by arena_run(). */
    struct balance_totals decision;
    int64_t messages;
    int64_t moved;
    int64_t longest_ns; /* duration of the longest task that was offered to other ranks */
};

/* Runs one balancing. Returns NULL if all is well, otherwise a text that says what is wrong. */
const char *arena_run(struct arena *arena);

/* Returns the greatest load of a rank, if each task that never ran takes `mean_ns`. */
int64_t arena_greatest(const struct arena *arena, int64_t mean_ns);

#endif
