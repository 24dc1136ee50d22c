/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/uts/sequential.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Expands the top of the stack. */
static int stack_expand(struct node_sink *stack, struct expander *expander)
{
    const size_t count = stack->count < EXPANDER_BATCH ? stack->count : EXPANDER_BATCH;
    struct node nodes[EXPANDER_BATCH];

    stack->count -= count;
    memcpy(nodes, stack->nodes + stack->count, count * sizeof(*nodes));
    return expander_expand(expander, nodes, (int)count, stack);
}

/* Expands more children of the root only when the stack does not fill a batch, so that the stack
 * stays small and the lanes full. */
static int search(struct expander *expander, struct node_sink *stack)
{
    struct node root;
    int64_t grown = 0;
    int error = 0;

    expander_root(expander, &root);
    while (!error && (stack->count || grown < root.children)) {
        if (stack->count < EXPANDER_BATCH && grown < root.children) {
            error = expander_grow(expander, &root, (uint32_t)grown, stack);
            grown += TREE_CHILDREN_MAX;
        } else {
            error = stack_expand(stack, expander);
        }
    }
    return error;
}

int sequential_search(const struct tree *tree, const struct hasher *hasher, struct census *census)
{
    struct expander *expander = expander_create(tree, hasher);
    struct node_sink stack = {.more = sink_double};

    if (!expander)
        return -ENOMEM;
    const int error = search(expander, &stack);
    if (!error)
        *census = expander_census(expander);
    free(stack.nodes);
    expander_destroy(expander);
    return error;
}
