/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/uts/expander.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Data of the parents that hashing does not need; columns match those of struct hash_parents. */
struct parentage {
    uint32_t children[HASH_COLUMN];
    int64_t height[HASH_COLUMN];
    const struct tree_level *level[HASH_COLUMN]; /* of their children */
};

struct expander {
    struct hash_parents parents;
    struct hash_common common;
    struct hash_children children;
    struct parentage parentage;
    struct hash_index index[TREE_CHILDREN_MAX];
    struct tree_levels levels;
    const struct tree *tree;
    const struct hasher *hasher;
    int64_t nodes, inner_nodes, depth;
};

int sink_double(struct node_sink *sink)
{
    const size_t room = 2 * sink->room + SINK_ROOM;
    struct node *nodes = reallocarray(sink->nodes, room, sizeof(*nodes));

    if (!nodes)
        return -ENOMEM;
    sink->nodes = nodes;
    sink->room = room;
    return 0;
}

struct expander *expander_create(const struct tree *tree, const struct hasher *hasher)
{
    struct expander *expander = aligned_alloc(HASH_ALIGNMENT, sizeof(*expander));

    if (!expander)
        return NULL;
    expander->tree = tree;
    expander->hasher = hasher;
    expander->nodes = expander->inner_nodes = expander->depth = 0;
    memset(&expander->parents, 0, sizeof(expander->parents));
    for (uint32_t i = 0; i < TREE_CHILDREN_MAX; i++)
        hash_index_fill(&expander->index[i], i);
    tree_levels_init(&expander->levels, tree);
    return expander;
}

void expander_destroy(struct expander *expander)
{
    free(expander);
}

struct census expander_census(const struct expander *expander)
{
    return (struct census){.nodes = expander->nodes,
                           .leaves = expander->nodes - expander->inner_nodes,
                           .depth = expander->depth};
}

void expander_root(struct expander *expander, struct node *root)
{
    tree_root(expander->tree, root);
    expander->nodes++;
    expander->inner_nodes += root->children > 0;
}

/* Enters a parent at a position of the columns. */
static inline void parent_enter(struct expander *expander, const struct node *parent, int position)
{
    const int64_t height = parent->height + 1;
    const struct tree_level *level = tree_level(&expander->levels, height);

    expander->parents.state[0][position] = parent->state[0];
    expander->parents.state[1][position] = parent->state[1];
    expander->parents.state[2][position] = parent->state[2];
    expander->parents.state[3][position] = parent->state[3];
    expander->parents.state[4][position] = parent->state[4];
    expander->parents.flip[position] = level->flip;
    expander->parents.limit[position] = level->limit;
    expander->parentage.children[position] = parent->children;
    expander->parentage.height[position] = height;
    expander->parentage.level[position] = level;
    expander->depth = max_i64(expander->depth, height);
}

/* Enters the parents in falling order of their number of children, so that neighbours in the lanes
 * run out of children together: a counting sort. Returns the number of children. */
static int64_t parents_enter(struct expander *expander, const struct node *nodes, int count)
{
    int position[TREE_CHILDREN_MAX + 1] = {0};
    int64_t children = 0;
    int next = 0;

    for (int i = 0; i < count; i++) {
        position[nodes[i].children]++;
        children += nodes[i].children;
    }
    for (int i = TREE_CHILDREN_MAX; i > 0; i--) {
        const int same = position[i];

        position[i] = next;
        next += same;
    }
    for (int i = 0; i < count; i++)
        parent_enter(expander, &nodes[i], position[nodes[i].children]++);
    return children;
}

/* Returns the set of places in use when children `child` to `child + count - 1` of the parents at
 * positions `first` to `first + live - 1` are hashed. */
static uint64_t places_used(const struct expander *expander, int first, int live, uint32_t child,
                            int count)
{
    const uint32_t *children = expander->parentage.children + first;
    uint64_t places = 0;

    for (int i = 0; i < count; i++) {
        while (live && children[live - 1] <= child + (uint32_t)i)
            live--;
        places |= ((UINT64_C(1) << live) - 1) << (i * expander->hasher->lanes);
    }
    return places;
}

/* Outputs the inner nodes among the children in these places. */
static void places_harvest(struct expander *expander, int first, uint64_t places,
                           struct node_sink *sink)
{
    const struct hash_children *children = &expander->children;
    const int lane_mask = expander->hasher->lanes - 1;
    struct node *node = sink->nodes + sink->count;

    for (places &= children->fertile; places; places &= places - 1, node++) {
        const int place = __builtin_ctzll(places), position = first + (place & lane_mask);

        node->state[0] = children->state[0][place];
        node->state[1] = children->state[1][place];
        node->state[2] = children->state[2][place];
        node->state[3] = children->state[3][place];
        node->state[4] = children->state[4][place];
        node->children = tree_level_children(expander->parentage.level[position],
                                             children->rank[place]);
        node->height = expander->parentage.height[position];
    }
    expander->inner_nodes += node - (sink->nodes + sink->count);
    sink->count = (size_t)(node - sink->nodes);
}

/* Hashes children `child` to `end` - 1 of the `live` parents from position `first` on. There are at
 * most as many parents as lanes. The index rows begin with the row of `child`. */
static int parents_hash(struct expander *expander, int first, int live, uint32_t child,
                        uint32_t end, const struct hash_index *index, struct node_sink *sink)
{
    const struct hasher *hasher = expander->hasher;
    const uint32_t step = HASH_PLACES / (uint32_t)hasher->lanes;

    hasher->prepare(&expander->parents, first, &expander->common);
    for (; child < end; child += step, index += step) {
        const int count = (int)min_i64(end - child, step);

        for (int i = 0; i < expander->tree->granularity; i++)
            hasher->digest(&expander->common, index, count, &expander->children);
        if (sink->room - sink->count < SINK_ROOM) {
            const int error = sink->more(sink);
            if (error)
                return error;
        }
        places_harvest(expander, first, places_used(expander, first, live, child, count), sink);
    }
    return 0;
}

int expander_grow(struct expander *expander, const struct node *root, uint32_t first,
                  struct node_sink *sink)
{
    const uint32_t count = (uint32_t)min_i64(root->children - first, TREE_CHILDREN_MAX);
    struct hash_index index[TREE_CHILDREN_MAX];

    for (uint32_t i = 0; i < count; i++)
        hash_index_fill(&index[i], first + i);
    parent_enter(expander, root, 0);
    expander->nodes += count;
    return parents_hash(expander, 0, 1, first, first + count, index, sink);
}

int expander_expand(struct expander *expander, const struct node *nodes, int count,
                    struct node_sink *sink)
{
    const int lanes = expander->hasher->lanes;

    expander->nodes += parents_enter(expander, nodes, count);
    for (int first = 0; first < count; first += lanes) {
        const int live = count - first < lanes ? count - first : lanes;
        const int error = parents_hash(expander, first, live, 0,
                                       expander->parentage.children[first], expander->index, sink);
        if (error)
            return error;
    }
    return 0;
}
