/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of a balancer's tree that one rank computes: its leaf, and the inner nodes whose range
 * begins with this rank. */
#ifndef JUGGLE_STEAL_PLACEMENT_TREE_NODE_H
#define JUGGLE_STEAL_PLACEMENT_TREE_NODE_H

#include "libjuggle/steal/placement/pool.h"
#include "libjuggle/steal/placement/shape.h"

#include <stddef.h>

/* Most tree nodes from the root to a rank: ranges of nodes are halved, then the ranks of one
 * node. */
enum { TREE_NODES_MAX = 64 };

/* The numbers in messages; each kind of message uses some of them. */
struct balance_totals {
    int64_t load_ns;
    int64_t tasks;      /* tasks that have a prediction; in a verdict, tasks that would move */
    int64_t unmeasured; /* tasks that never ran */
    int64_t mean_ns;    /* expected duration of each of these */
    int64_t before_ns;  /* the greatest load of a rank, as it is */
    int64_t after_ns;   /* the greatest load of a rank, as it would be */
    int64_t failures;   /* ranks that failed, such as for want of room */
    int64_t go;
};

/* One node of the tree. */
struct tree_node {
    struct range range;
    int depth;
    int branch; /* index among the parent's children */
    int parent; /* the rank that computes the parent */
    int children;
    int received;            /* children whose messages have come in this step */
    struct branch *branches; /* indexed by child, then a heap */
    uint32_t *start;         /* where each child's tokens begin */
    struct pool pool;
    uint32_t dealt; /* tokens of the pool that are already dealt to children */
    struct balance_totals totals;
};

/* Fills in the tree nodes of a rank, from the root down, the leaf last; returns how many. */
int tree_nodes_of_rank(const struct shape *shape, int rank, struct tree_node *tree_node);

/* Bytes of memory for the branches and starts of these tree nodes; places them in that memory. */
size_t tree_nodes_memory_size(const struct tree_node *tree_node, int tree_nodes);
void tree_nodes_place(struct tree_node *tree_node, int tree_nodes, void *memory);

#endif
