/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary tree of the ranks, with rank 0 at its root, along which messages are spread and
 * gathered. */
#ifndef JUGGLE_STEAL_PROTOCOL_TREE_H
#define JUGGLE_STEAL_PROTOCOL_TREE_H

#include "libjuggle/ground/units.h"

enum { TREE_FANOUT = 2 };

static inline int tree_parent(int rank)
{
    return (rank - 1) / TREE_FANOUT;
}

static inline int tree_first_child(int rank)
{
    return rank * TREE_FANOUT + 1;
}

static inline int tree_children(int rank, int ranks)
{
    return (int)clamp_i64(ranks - tree_first_child(rank), 0, TREE_FANOUT);
}

/* Fills in the neighbors of this rank in the tree, except `but`; returns how many. */
static inline int tree_neighbors(int rank, int ranks, int but, int neighbor[TREE_FANOUT + 1])
{
    const int first = tree_first_child(rank);
    int count = 0;

    if (rank > 0 && tree_parent(rank) != but)
        neighbor[count++] = tree_parent(rank);
    for (int child = first; child < first + tree_children(rank, ranks); child++)
        if (child != but)
            neighbor[count++] = child;
    return count;
}

#endif
