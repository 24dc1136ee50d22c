/* SPDX-License-Identifier: BSD-3-Clause */
/* The kinds of trees, and the number of a node's children as a function of its random value. */
#ifndef JUGGLE_UTS_TREE_H
#define JUGGLE_UTS_TREE_H

#include "libjuggle/ground/units.h"
#include "tools/uts/hasher.h"

#include <stdbool.h>

enum tree_type {
    TREE_BINOMIAL,
    TREE_GEOMETRIC,
    TREE_HYBRID,
    TREE_BALANCED,
};

/* How the target branching factor of a geometric tree changes with the height. */
enum tree_shape {
    TREE_LINEAR,
    TREE_EXPONENTIAL,
    TREE_CYCLIC,
    TREE_FIXED,
};

struct tree {
    enum tree_type type;
    enum tree_shape shape;
    double branching;     /* b */
    int depth;            /* d */
    int branches;         /* m, children of an inner node of a binomial tree */
    double branch_chance; /* q, probability that a node of a binomial tree is an inner one */
    double shift;         /* f, of a hybrid tree */
    int granularity;      /* g, hashes per node */
    int seed;             /* r */
};

/* An inner node, the unit of work: its children are hashed together, and leaves only counted. */
struct node {
    uint32_t state[SHA1_WORDS];
    uint32_t children;
    int64_t height;
};

/* Finds the tree called `name` (T1, T3, ...). Returns 0, or -ENOENT if there is none; `tree` is
 * then unchanged. */
int tree_named(const char *name, struct tree *tree) MUST_CHECK;

/* Returns the default of the original benchmark: geometric, linear, b 4, d 6. */
struct tree tree_default(void);

/* Returns why the tree cannot be searched, in one line without a full stop, or NULL if it can. */
const char *tree_fault(const struct tree *tree);

void tree_root(const struct tree *tree, struct node *root);

/* Returns how many children a node with this random value has, by the definition in doubles. */
int64_t tree_children_count(const struct tree *tree, int64_t height, uint32_t value);

enum {
    TREE_CHILDREN_MAX = 100, /* of any node except a binomial tree's root */
    TREE_GUESS_BITS = 8,
};

/* The same function for all nodes at one height, in integers. A node's rank is its value XOR flip;
 * the number of children never falls with the rank. Nodes of rank bound[k - 1] and above have at
 * least k children. */
struct tree_level {
    int64_t height;
    uint32_t flip;
    int32_t limit; /* bound[0] - 1: nodes of a greater rank have children */
    uint32_t bound[TREE_CHILDREN_MAX + 1];
    uint8_t guess[1 << TREE_GUESS_BITS]; /* children of the least rank with these leading bits */
};

/* A level is computed when it is first used, and kept until another level needs its place. */
enum { TREE_LEVELS = 1024 };

struct tree_levels {
    const struct tree *tree;
    int64_t same_from; /* from this height on all levels are the same */
    struct tree_level level[TREE_LEVELS];
};

void tree_levels_init(struct tree_levels *levels, const struct tree *tree);
void tree_level_fill(struct tree_level *level, const struct tree *tree, int64_t height);

static inline const struct tree_level *tree_level(struct tree_levels *levels, int64_t height)
{
    const int64_t key = min_i64(height, levels->same_from);
    struct tree_level *level = &levels->level[(uint64_t)key % TREE_LEVELS];

    if (__builtin_expect(level->height != key, 0))
        tree_level_fill(level, levels->tree, key);
    return level;
}

static inline uint32_t tree_level_children(const struct tree_level *level, uint32_t rank)
{
    uint32_t children = level->guess[rank >> (31 - TREE_GUESS_BITS)];

    while (rank >= level->bound[children])
        children++;
    return children;
}

#endif
