/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree over which a balancer works: every rank is a leaf, and ranks also compute the inner tree
 * nodes (retentive stealing paper, section 5.2). A tree node is a range of neighboring ranks, cut
 * into parts of about the same size; the first rank of the range computes it. If there are as many
 * parts as ranks, the tree is a star, which is the centralized balancer.
 *
 * Ranks are ordered by position. If the nodes of the machine are known, a range that holds several
 * of them is cut between nodes, so that load is balanced within each node first.
 */
#ifndef JUGGLE_STEAL_PLACEMENT_SHAPE_H
#define JUGGLE_STEAL_PLACEMENT_SHAPE_H

#include <stdint.h>

struct shape {
    int ranks;
    int arity;                 /* most parts of a range, at least 2 */
    const int32_t *rank_at;    /* rank at each position; NULL: the position itself */
    const int32_t *node_start; /* first position of each node, then the end; NULL: one node */
    int nodes;
};

/* Positions from `first` to before `end`. */
struct range {
    int first;
    int end;
};

static inline int range_size(struct range range)
{
    return range.end - range.first;
}

static inline int shape_rank(const struct shape *shape, int position)
{
    return shape->rank_at ? shape->rank_at[position] : position;
}

int shape_position(const struct shape *shape, int rank);

/* Returns the number of parts of a range; 0 for a single rank. */
int shape_parts(const struct shape *shape, struct range range);

struct range shape_part(const struct shape *shape, struct range range, int part);

#endif
