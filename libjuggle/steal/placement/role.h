/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank plays in the tree of a balancer: a leaf, and the nodes above that begin with it. */
#ifndef JUGGLE_STEAL_PLACEMENT_ROLE_H
#define JUGGLE_STEAL_PLACEMENT_ROLE_H

#include "libjuggle/steal/placement/pool.h"
#include "libjuggle/steal/placement/shape.h"

#include <stddef.h>

/* Nodes on the way from the root to a rank: halvings of nodes, then of the ranks of one. */
enum { ROLES_MAX = 64 };

/* What messages say; each kind has a use for some. */
struct balance_terms {
    int64_t load_ns;
    int64_t tasks;     /* those that have a prediction; those that would move */
    int64_t strangers; /* tasks that never ran */
    int64_t mean_ns;   /* what each of them is held to take */
    int64_t before_ns; /* the greatest load of a rank: as it is, */
    int64_t after_ns;  /* as it would be */
    int64_t failures;  /* ranks that cannot do it */
    int64_t go;
};

/* One node of the tree. */
struct role {
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
    struct balance_terms terms;
};

/* The roles of a rank, the leaf last; returns how many. */
int roles_cast(const struct shape *shape, int rank, struct role *role);

/* Bytes that they need for what they know of their children, and giving it to them. */
size_t roles_memory_size(const struct role *role, int roles);
void roles_place(struct role *role, int roles, void *memory);

#endif
