/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/nodes.h"

#include "cli/options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct nodes {
    struct node_sink sink; /* the inner nodes that the last expansion found */
    struct tree tree;
    struct expander *expander;
};

/* Reads "PREFIX1.5,2,3" with exactly `count` numbers. False if `text` is not of this form. */
static bool numbers_read(const char *text, const char *prefix, double *number, int count)
{
    const size_t size = strlen(prefix);

    if (strncmp(text, prefix, size) != 0)
        return false;
    text += size;
    for (int i = 0; i < count; i++) {
        text = decimal_read(text, &number[i]);
        if (!text || *text++ != (i + 1 < count ? ',' : '\0'))
            return false;
    }
    return true;
}

static bool is_int(double number)
{
    return number <= INT_MAX && number == (int)number;
}

int tree_parse(const char *text, struct tree *out, const char **expected)
{
    struct tree tree = tree_default();
    double number[4];

    *expected = "T1, T1L, T3, T3L, T3XXL, T3WL, T4, binomial:B,M,Q,SEED or geometric:B,D,SEED";
    if (tree_named(text, out) == 0)
        return 0;
    if (numbers_read(text, "binomial:", number, 4) && is_int(number[1]) && is_int(number[3])) {
        tree.type = TREE_BINOMIAL;
        tree.branches = (int)number[1];
        tree.branch_chance = number[2];
        tree.seed = (int)number[3];
    } else if (numbers_read(text, "geometric:", number, 3) && is_int(number[1]) &&
               is_int(number[2])) {
        tree.shape = TREE_FIXED;
        tree.depth = (int)number[1];
        tree.seed = (int)number[2];
    } else {
        return -EINVAL;
    }
    tree.branching = number[0];
    if (tree_fault(&tree))
        return -EINVAL;
    *out = tree;
    return 0;
}

int nodes_open(const struct tree *tree, struct nodes **out)
{
    const struct hasher *hasher;
    struct nodes *nodes = calloc(1, sizeof(*nodes));
    int error = nodes ? hasher_find("auto", &hasher) : -ENOMEM;

    if (error < 0)
        goto fail;
    nodes->tree = *tree;
    nodes->expander = expander_create(&nodes->tree, hasher);
    nodes->sink.more = sink_double;
    error = nodes->expander ? sink_double(&nodes->sink) : -ENOMEM;
    if (error < 0)
        goto fail;
    *out = nodes;
    return 0;

fail:
    nodes_close(nodes);
    return error;
}

void nodes_close(struct nodes *nodes)
{
    if (!nodes)
        return;
    if (nodes->expander)
        expander_destroy(nodes->expander);
    free(nodes->sink.nodes);
    free(nodes);
}

int nodes_expand_root(struct nodes *nodes)
{
    struct node root;
    int error = 0;

    nodes->sink.count = 0;
    expander_root(nodes->expander, &root);
    for (int64_t first = 0; first < root.children && error == 0; first += TREE_CHILDREN_MAX)
        error = expander_grow(nodes->expander, &root, (uint32_t)first, &nodes->sink);
    return error;
}

int nodes_expand(struct nodes *nodes, const struct node *tasks, size_t count)
{
    nodes->sink.count = 0;
    return expander_expand(nodes->expander, tasks, (int)count, &nodes->sink);
}

const struct node *nodes_found(const struct nodes *nodes, size_t *count)
{
    *count = nodes->sink.count;
    return nodes->sink.nodes;
}

struct census nodes_census(const struct nodes *nodes)
{
    return expander_census(nodes->expander);
}
