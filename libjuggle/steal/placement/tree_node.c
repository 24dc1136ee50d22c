/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/tree_node.h"

/* Returns the part of a range that holds a position. */
static int part_at(const struct shape *shape, struct range range, int position)
{
    int low = 0, high = shape_parts(shape, range) - 1;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (shape_part(shape, range, middle).end <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int tree_nodes_of_rank(const struct shape *shape, int rank, struct tree_node *tree_node)
{
    const int position = shape_position(shape, rank);
    struct tree_node at = {.range = {0, shape->ranks}, .parent = -1};
    int tree_nodes = 0;

    for (;;) {
        at.children = shape_parts(shape, at.range);
        if (at.range.first == position)
            tree_node[tree_nodes++] = at;
        if (at.children == 0)
            return tree_nodes;
        at.branch = part_at(shape, at.range, position);
        at.parent = shape_rank(shape, at.range.first);
        at.range = shape_part(shape, at.range, at.branch);
        at.depth++;
    }
}

static size_t branches_size(const struct tree_node *tree_node)
{
    return (size_t)tree_node->children * sizeof(struct branch);
}

/* One start more than there are children, rounded up to an even number, so that the memory behind
 * it is aligned. */
static size_t starts_size(const struct tree_node *tree_node)
{
    return ((size_t)tree_node->children + 2) / 2 * 2 * sizeof(uint32_t);
}

size_t tree_nodes_memory_size(const struct tree_node *tree_node, int tree_nodes)
{
    size_t size = 0;

    for (int i = 0; i < tree_nodes; i++)
        size += branches_size(&tree_node[i]) + starts_size(&tree_node[i]);
    return size;
}

void tree_nodes_place(struct tree_node *tree_node, int tree_nodes, void *memory)
{
    unsigned char *at = memory;

    for (int i = 0; i < tree_nodes; i++) {
        tree_node[i].branches = (struct branch *)at;
        at += branches_size(&tree_node[i]);
        tree_node[i].start = (uint32_t *)at;
        at += starts_size(&tree_node[i]);
    }
}
