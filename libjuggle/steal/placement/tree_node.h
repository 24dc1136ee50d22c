/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of a balancer's tree that one rank computes: its leaf, and those above that begin with
 * it. */
#ifndef JUGGLE_STEAL_PLACEMENT_TREE_NODE_H
#define JUGGLE_STEAL_PLACEMENT_TREE_NODE_H

#include "libjuggle/steal/placement/pool.h"
#include "libjuggle/steal/placement/shape.h"

#include <stddef.h>

/* Nodes on the way from the root to a rank: halvings of nodes, then of the ranks of one. */
enum { TREE_NODES_MAX = 64 };

/* What messages say; each kind has a use for some. */
struct balance_totals {
    int64_t load_ns;
    int64_t tasks;      /* those that have a prediction; those that would move */
    int64_t unmeasured; /* tasks that never ran */
    int64_t mean_ns;    /* what each of them is held to take */
    int64_t before_ns;  /* the greatest load of a rank: as it is, */
    int64_t after_ns;   /* as it would be */
    int64_t failures;   /* ranks that cannot do it */
    int64_t go;
};

/* One node of the tree. */
struct tree_node {
    struct range range;
    int depth;
    int branch; /* of the parent */
    int parent; /* rank */
    int children;
    int heard;               /* children that have answered */
    struct branch *branches; /* by child, then a heap */
    uint32_t *start;         /* of each child's tokens */
    struct pool pool;
    uint32_t dealt; /* tokens of the pool that children have already */
    struct balance_totals totals;
};

/* The tree nodes of a rank, the leaf last; returns how many. */
int tree_nodes_of_rank(const struct shape *shape, int rank, struct tree_node *tree_node);

/* Bytes that they need for what they know of their children, and giving it to them. */
size_t tree_nodes_memory_size(const struct tree_node *tree_node, int tree_nodes);
void tree_nodes_place(struct tree_node *tree_node, int tree_nodes, void *memory);

#endif
