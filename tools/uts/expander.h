/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes the children of inner nodes, counts them, and outputs the children that are inner nodes
 * themselves. */
#ifndef JUGGLE_UTS_EXPANDER_H
#define JUGGLE_UTS_EXPANDER_H

#include "tools/uts/tree.h"

/* EXPANDER_BATCH is the maximum number of nodes of one expand: enough nodes with each number of
 * children to fill the lanes. EXPANDER_LANES is the number of lanes of the widest hasher, a
 * multiple of all others', so that ranks on different processors use the same number. */
enum { EXPANDER_BATCH = HASH_PARENTS_MAX, EXPANDER_LANES = 16 };

struct census {
    int64_t nodes;
    int64_t leaves;
    int64_t depth; /* the greatest height */
};

/* The output buffer for inner nodes. */
struct node_sink {
    struct node *nodes;
    size_t count;
    size_t room; /* capacity of `nodes` */
    /* Makes room for SINK_ROOM more nodes; may take the present ones out. 0 or -errno. */
    int (*more)(struct node_sink *sink);
};

/* One call of a hasher outputs at most this many nodes. */
enum { SINK_ROOM = HASH_PLACES };

/* A `more` that doubles `nodes` on the heap. The sink's owner frees them. */
int sink_double(struct node_sink *sink);

struct expander;

/* Creates an expander for one thread. `tree` and `hasher` must outlive it. NULL if there is no
 * memory. */
struct expander *expander_create(const struct tree *tree, const struct hasher *hasher);
void expander_destroy(struct expander *expander);

/* Makes the root, from which expander_grow() begins, and counts it. */
void expander_root(struct expander *expander, struct node *root);

/* Expands children of the root from `first` on: TREE_CHILDREN_MAX, which is the maximum of other
 * nodes, or the remaining ones if they are fewer. Returns 0 or the sink's error. */
int expander_grow(struct expander *expander, const struct node *root, uint32_t first,
                  struct node_sink *sink) MUST_CHECK;

/* Expands all children of `count` inner nodes, EXPANDER_BATCH at most. Returns 0 or the sink's
 * error. */
int expander_expand(struct expander *expander, const struct node *nodes, int count,
                    struct node_sink *sink) MUST_CHECK;

struct census expander_census(const struct expander *expander);

#endif
