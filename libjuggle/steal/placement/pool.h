/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that were given away, dealt to those who have less: the longest goes to the least loaded,
 * again and again (retentive stealing paper, Algorithm 1). Tasks are named by tokens; they
 * themselves stay where they are until it is known who gets them.
 */
#ifndef JUGGLE_STEAL_PLACEMENT_POOL_H
#define JUGGLE_STEAL_PLACEMENT_POOL_H

#include "libjuggle/ground/units.h"

struct token {
    int64_t load_ns; /* what the task will take */
    int32_t origin;  /* the rank that gives it away */
    uint32_t slot;   /* its place there */
};

/* Arrays of `capacity`, given by the user. */
struct pool {
    struct token *token;
    struct token *spare; /* for sorting and grouping */
    int32_t *to;         /* the branch that gets each token, once dealt */
    uint32_t count;
    uint32_t capacity;
};

/* One that gets tokens: a rank, or a whole subtree of them. The least loaded comes first. */
struct branch {
    int64_t load_ns;
    double average_ns; /* load by ranks */
    int32_t ranks;
    int32_t index; /* that it had before it was moved around */
};

/* Sorts the tokens from `first` on, the longest first; equal ones stay in their order. */
void pool_sort(struct pool *pool, uint32_t first);

/* Makes a heap of branches, whose loads and ranks are set. */
void branches_order(struct branch *branches, int count);

/*
 * Deals tokens from `first` on, each to the branch with the least average, while that is below
 * `full_ns`. Returns the index of the first token that it did not deal.
 */
uint32_t pool_deal(struct pool *pool, uint32_t first, struct branch *branches, int count,
                   double full_ns);

/* Moves the tokens into the spare array, branch by branch. Those of branch i begin at start[i] and
 * end before start[i + 1]. */
void pool_group(struct pool *pool, int branches, uint32_t *start);

/* Sorts the tokens by the rank that gave them. */
void pool_sort_origins(struct pool *pool);

#endif
