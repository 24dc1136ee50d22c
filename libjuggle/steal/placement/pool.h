/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deals tasks that overloaded ranks give away: the longest task goes to the least loaded branch,
 * again and again (retentive stealing paper, Algorithm 1). Tokens stand for tasks; the tasks
 * themselves stay on their ranks until it is known which rank gets them.
 */
#ifndef JUGGLE_STEAL_PLACEMENT_POOL_H
#define JUGGLE_STEAL_PLACEMENT_POOL_H

#include "libjuggle/ground/units.h"

struct token {
    int64_t load_ns; /* expected duration of the task */
    int32_t origin;  /* the rank that gives it away */
    uint32_t slot;   /* index of the task in the ledger there */
};

/* Arrays of `capacity` entries, provided by the caller. */
struct pool {
    struct token *token;
    struct token *spare; /* for sorting and grouping */
    int32_t *to;         /* the branch that gets each token, once it is dealt */
    uint32_t count;
    uint32_t capacity;
};

/* A receiver of tokens: a rank or a whole subtree. In an array of branches the least loaded one is
 * first. */
struct branch {
    int64_t load_ns;
    double average_ns; /* load per rank */
    int32_t ranks;
    int32_t index; /* its original index, before branches were reordered */
};

/* Sorts the tokens from `first` on, the longest first; tokens of equal load stay in their order. */
void pool_sort(struct pool *pool, uint32_t first);

/* Makes a heap of branches, whose loads, ranks and indices are set. */
void branches_order(struct branch *branches, int count);

/*
 * Deals tokens from `first` on, each to the branch with the least average, while that average is
 * below `full_ns`. Returns the index of the first token that it did not deal.
 */
uint32_t pool_deal(struct pool *pool, uint32_t first, struct branch *branches, int count,
                   double full_ns);

/* Moves the tokens into the spare array, branch by branch. Those of branch i begin at start[i] and
 * end before start[i + 1]. */
void pool_group(struct pool *pool, int branches, uint32_t *start);

/* Sorts the tokens by the rank that gave them. */
void pool_sort_origins(struct pool *pool);

#endif
