/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashes the children of inner nodes, counts them and hands on those that are inner nodes
 * themselves. */
#ifndef JUGGLE_UTS_EXPANDER_H
#define JUGGLE_UTS_EXPANDER_H

#include "tools/uts/tree.h"

/* The most nodes of one expand, enough of each number of children to fill the lanes; and the lanes
 * of the widest hasher, which those of all others divide: ranks agree on it, whatever their
 * processors. */
enum { EXPANDER_BATCH = HASH_PARENTS_MAX, EXPANDER_LANES = 16 };

struct census {
    int64_t nodes;
    int64_t leaves;
    int64_t depth; /* the greatest height */
};

/* Where inner nodes go. */
struct node_sink {
    struct node *nodes;
    size_t count;
    size_t room; /* for how many there are `nodes` */
    /* Makes room for SINK_ROOM nodes more: may take away what is there. 0 or -errno. */
    int (*more)(struct node_sink *sink);
};

/* The nodes that one call of a hasher brings at most. */
enum { SINK_ROOM = HASH_PLACES };

/* A `more` for nodes of the heap, whose room it doubles. To be freed by the sink's owner. */
int sink_double(struct node_sink *sink);

struct expander;

/* For one thread. `tree` and `hasher` must outlive it. NULL without memory. */
struct expander *expander_create(const struct tree *tree, const struct hasher *hasher);
void expander_destroy(struct expander *expander);

/* Counts the root itself, and makes it known as the one to grow from. */
void expander_root(struct expander *expander, struct node *root);

/* Children of the root from `first` on: as many as a node may have otherwise, TREE_CHILDREN_MAX, or
 * what is left. Returns 0 or the sink's error. */
int expander_grow(struct expander *expander, const struct node *root, uint32_t first,
                  struct node_sink *sink) MUST_CHECK;

/* All children of `count` inner nodes, EXPANDER_BATCH at most. Returns 0 or the sink's error. */
int expander_expand(struct expander *expander, const struct node *nodes, int count,
                    struct node_sink *sink) MUST_CHECK;

struct census expander_census(const struct expander *expander);

#endif
