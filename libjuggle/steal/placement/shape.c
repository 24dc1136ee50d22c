/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/shape.h"

int shape_position(const struct shape *shape, int rank)
{
    int position = shape->rank_at ? 0 : rank;

    while (shape_rank(shape, position) != rank)
        position++;
    return position;
}

/* Returns the node that holds a position. */
static int shape_node(const struct shape *shape, int position)
{
    int low = 0, high = shape->nodes - 1;

    while (low < high) {
        int middle = low + (high - low + 1) / 2;

        if (shape->node_start[middle] <= position)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Returns the nodes that a range holds. While there are several, the range is cut between them. */
static struct range shape_nodes(const struct shape *shape, struct range range)
{
    if (!shape->node_start)
        return (struct range){0, 1};
    return (struct range){shape_node(shape, range.first), shape_node(shape, range.end - 1) + 1};
}

static int parts_of(const struct shape *shape, int count)
{
    return count < shape->arity ? count : shape->arity;
}

int shape_parts(const struct shape *shape, struct range range)
{
    const int ranks = range_size(range);
    const int nodes = range_size(shape_nodes(shape, range));

    return ranks == 1 ? 0 : parts_of(shape, nodes > 1 ? nodes : ranks);
}

/* Returns where a part begins, which is where the one before ends. Sizes differ by at most one. */
static int cut(struct range range, int parts, int part)
{
    return range.first + (int)((int64_t)range_size(range) * part / parts);
}

struct range shape_part(const struct shape *shape, struct range range, int part)
{
    const struct range nodes = shape_nodes(shape, range);
    const int parts = shape_parts(shape, range);

    if (range_size(nodes) == 1)
        return (struct range){cut(range, parts, part), cut(range, parts, part + 1)};
    return (struct range){shape->node_start[cut(nodes, parts, part)],
                          shape->node_start[cut(nodes, parts, part + 1)]};
}
