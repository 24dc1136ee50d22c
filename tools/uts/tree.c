/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/uts/tree.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* Random values are below this, and so are the ranks. */
#define VALUES INT64_C(0x80000000)

/* Cyclic trees end at this many times their depth. */
enum { CYCLES = 5 };

static const double pi = 3.141592653589793;

static const struct {
    const char *name;
    struct tree tree;
} presets[] = {
#define BINOMIAL(b, q, m, r)                                                                \
    {                                                                                       \
        .type = TREE_BINOMIAL, .branching = b, .branch_chance = q, .branches = m, .seed = r \
    }
#define FIXED(b, d, r)                                                                     \
    {                                                                                      \
        .type = TREE_GEOMETRIC, .shape = TREE_FIXED, .branching = b, .depth = d, .seed = r \
    }
    {"T1", FIXED(4, 10, 19)},
    {"T1L", FIXED(4, 13, 29)},
    {"T3", BINOMIAL(2000, 0.124875, 8, 42)},
    {"T3L", BINOMIAL(2000, 0.200014, 5, 7)},
    {"T3XXL", BINOMIAL(2000, 0.499995, 2, 316)},
    {"T3WL", BINOMIAL(2000, 0.4999995, 2, 559)},
    {"T4",
     {.type = TREE_HYBRID,
      .shape = TREE_LINEAR,
      .branching = 6,
      .depth = 16,
      .branch_chance = 0.234375,
      .branches = 4,
      .shift = 0.5,
      .seed = 1}},
#undef BINOMIAL
#undef FIXED
};

struct tree tree_default(void)
{
    return (struct tree){.type = TREE_GEOMETRIC,
                         .shape = TREE_LINEAR,
                         .branching = 4,
                         .depth = 6,
                         .branches = 4,
                         .branch_chance = 15. / 64,
                         .shift = 0.5,
                         .granularity = 1};
}

int tree_named(const char *name, struct tree *tree)
{
    for (size_t i = 0; i < ARRAY_COUNT(presets); i++) {
        if (strcmp(name, presets[i].name))
            continue;
        *tree = presets[i].tree;
        tree->granularity = 1;
        return 0;
    }
    return -ENOENT;
}

/* True for the published binomial trees. T3L has parameters with which a tree grows for ever with
 * high probability, but this tree is known to end. */
static bool tree_known_to_end(const struct tree *tree)
{
    for (size_t i = 0; i < ARRAY_COUNT(presets); i++) {
        const struct tree *known = &presets[i].tree;

        if (tree->type == TREE_BINOMIAL && known->type == TREE_BINOMIAL &&
            tree->branching == known->branching && tree->branches == known->branches &&
            tree->branch_chance == known->branch_chance && tree->seed == known->seed)
            return true;
    }
    return false;
}

const char *tree_fault(const struct tree *tree)
{
    const bool binomial = tree->type == TREE_BINOMIAL || tree->type == TREE_HYBRID;
    const bool geometric = tree->type == TREE_GEOMETRIC || tree->type == TREE_HYBRID;

    if (!(tree->branching >= 0) || tree->branches < 0 ||
        !(tree->branch_chance >= 0 && tree->branch_chance <= 1))
        return "-b and -m must not be negative, and -q is from 0 to 1";
    if ((binomial && tree->branches > TREE_CHILDREN_MAX) ||
        (tree->type == TREE_BALANCED && tree->branching > TREE_CHILDREN_MAX))
        return "a node has at most 100 children: -m, or -b of a balanced tree, is too large";
    if (binomial && tree->branch_chance * tree->branches >= 1 && !tree_known_to_end(tree))
        return "the tree would be endless: -q times -m must be below 1";
    if (tree->branching > UINT32_MAX)
        return "-b must be below 4294967296";
    if (geometric && tree->shape == TREE_EXPONENTIAL && (tree->depth < 1 || tree->branching < 1))
        return "the tree would be endless: an exponential one needs -d and -b of at least 1";
    return NULL;
}

/* Returns the target branching factor of a geometric node. */
static double tree_factor(const struct tree *tree, int64_t height)
{
    const double b = tree->branching, h = (double)height, d = tree->depth;

    if (height == 0)
        return b;
    switch (tree->shape) {
    case TREE_LINEAR:
        return b * (1 - h / d);
    case TREE_EXPONENTIAL:
        return b * pow(h, -log(b) / log(d));
    case TREE_CYCLIC:
        return h > CYCLES * d ? 0 : pow(b, sin(2 * pi * h / d));
    case TREE_FIXED:
        return h < d ? b : 0;
    }
    return 0;
}

static int64_t geometric_children(const struct tree *tree, int64_t height, double u)
{
    const double factor = tree_factor(tree, height);

    if (!(factor > 0))
        return 0;
    const double children = floor(log(1 - u) / log(1 - 1 / (1 + factor)));
    if (!(children >= 1))
        return 0;
    return children < TREE_CHILDREN_MAX ? (int64_t)children : TREE_CHILDREN_MAX;
}

static bool tree_is_geometric(const struct tree *tree, int64_t height)
{
    return tree->type == TREE_GEOMETRIC ||
           (tree->type == TREE_HYBRID && (double)height < tree->shift * tree->depth);
}

static int64_t binomial_children(const struct tree *tree, int64_t height, double u)
{
    if (height == 0)
        return (int64_t)tree->branching;
    return u < tree->branch_chance ? tree->branches : 0;
}

int64_t tree_children_count(const struct tree *tree, int64_t height, uint32_t value)
{
    const double u = value / (double)VALUES;

    if (tree_is_geometric(tree, height))
        return geometric_children(tree, height, u);
    if (tree->type == TREE_BALANCED)
        return height < tree->depth ? min_i64((int64_t)tree->branching, TREE_CHILDREN_MAX) : 0;

    const int64_t children = binomial_children(tree, height, u);
    return tree->type == TREE_BINOMIAL && height == 0 ? children
                                                      : min_i64(children, TREE_CHILDREN_MAX);
}

void tree_root(const struct tree *tree, struct node *root)
{
    sha1_root((uint32_t)tree->seed, root->state);
    root->height = 0;
    root->children = (uint32_t)tree_children_count(tree, 0,
                                                   root->state[SHA1_WORDS - 1] & HASH_VALUE_MASK);
}

/* ---- levels ---- */

/* Returns the height from which on the number of children depends on the random value only. */
static int64_t tree_same_from(const struct tree *tree)
{
    switch (tree->type) {
    case TREE_BINOMIAL:
        return 1;
    case TREE_BALANCED:
        return tree->depth;
    case TREE_HYBRID:
        return max_i64(1, (int64_t)ceil(fmin(tree->shift * tree->depth, INT32_MAX)));
    case TREE_GEOMETRIC:
        break;
    }
    switch (tree->shape) {
    case TREE_LINEAR:
    case TREE_FIXED:
        return max_i64(1, tree->depth);
    case TREE_CYCLIC:
        return (int64_t)CYCLES * tree->depth + 1;
    case TREE_EXPONENTIAL:
        break;
    }
    return INT64_MAX;
}

void tree_levels_init(struct tree_levels *levels, const struct tree *tree)
{
    levels->tree = tree;
    levels->same_from = tree_same_from(tree);
    for (int i = 0; i < TREE_LEVELS; i++)
        levels->level[i].height = -1;
}

/* Returns about the least rank of a geometric node with `children`: the one at which 1 - u falls
 * below (1 - p)^children. */
static int64_t geometric_guess(const struct tree *tree, int64_t height, int children)
{
    const double factor = tree_factor(tree, height);
    const double chance = pow(factor / (1 + factor), children);

    return chance >= 0 && chance <= 1 ? (int64_t)((double)VALUES * (1 - chance)) : 0;
}

/* Returns the least rank from `low` on with at least `children`, or VALUES if there is none. The
 * definition in doubles decides; the guess only saves most of the search. */
static int64_t level_bound(const struct tree_level *level, const struct tree *tree, int children,
                           int64_t low)
{
    enum { NEAR = 4 };
    const int64_t guess = geometric_guess(tree, level->height, children);
    int64_t high = VALUES;

#define REACHED(rank) \
    (tree_children_count(tree, level->height, (uint32_t)(rank) ^ level->flip) >= children)
    if (guess + NEAR < VALUES && REACHED(guess + NEAR))
        high = guess + NEAR;
    if (guess - NEAR > low && !REACHED(guess - NEAR))
        low = guess - NEAR;
    while (low < high) {
        const int64_t middle = (low + high) / 2;

        if (REACHED(middle))
            high = middle;
        else
            low = middle + 1;
    }
#undef REACHED
    return low;
}

void tree_level_fill(struct tree_level *level, const struct tree *tree, int64_t height)
{
    int64_t bound = 0;

    level->height = height;
    level->flip = tree_is_geometric(tree, height) || tree->type == TREE_BALANCED ? 0
                                                                                 : HASH_VALUE_MASK;
    for (int i = 0; i < TREE_CHILDREN_MAX; i++) {
        bound = level_bound(level, tree, i + 1, bound);
        level->bound[i] = (uint32_t)bound;
    }
    level->bound[TREE_CHILDREN_MAX] = (uint32_t)VALUES;
    level->limit = (int32_t)((int64_t)level->bound[0] - 1);

    uint32_t children = 0;
    for (uint32_t slot = 0; slot < ARRAY_COUNT(level->guess); slot++) {
        while (slot << (31 - TREE_GUESS_BITS) >= level->bound[children])
            children++;
        level->guess[slot] = (uint8_t)children;
    }
}
