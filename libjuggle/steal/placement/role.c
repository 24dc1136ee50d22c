/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/role.h"

/* The part of a range that holds a position. */
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

/* From the root down to the leaf. */
int roles_cast(const struct shape *shape, int rank, struct role *role)
{
    const int position = shape_position(shape, rank);
    struct role at = {.range = {0, shape->ranks}, .parent = -1};
    int roles = 0;

    for (;;) {
        at.children = shape_parts(shape, at.range);
        if (at.range.first == position)
            role[roles++] = at;
        if (at.children == 0)
            return roles;
        at.branch = part_at(shape, at.range, position);
        at.parent = shape_rank(shape, at.range.first);
        at.range = shape_part(shape, at.range, at.branch);
        at.depth++;
    }
}

static size_t branches_size(const struct role *role)
{
    return (size_t)role->children * sizeof(struct branch);
}

/* One start more than children, and an even number, so that what follows is aligned. */
static size_t starts_size(const struct role *role)
{
    return ((size_t)role->children + 2) / 2 * 2 * sizeof(uint32_t);
}

size_t roles_memory_size(const struct role *role, int roles)
{
    size_t size = 0;

    for (int i = 0; i < roles; i++)
        size += branches_size(&role[i]) + starts_size(&role[i]);
    return size;
}

void roles_place(struct role *role, int roles, void *memory)
{
    unsigned char *at = memory;

    for (int i = 0; i < roles; i++) {
        role[i].branches = (struct branch *)at;
        at += branches_size(&role[i]);
        role[i].start = (uint32_t *)at;
        at += starts_size(&role[i]);
    }
}
