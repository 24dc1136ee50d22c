/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/sim/published.h"

#include "tests/lib/suite.h"
#include "tools/uts/expander.h"

/* Inner nodes in the order in which they are found: the tasks of the cluster. */
struct found {
    struct node_sink sink;
    struct expander *expander;
};

/* Notes that the children that were found since `before` are those of `parent`. */
static void found_family(struct found *found, uint32_t parent, size_t before, uint32_t children)
{
    uint32_t inner = (uint32_t)(found->sink.count - before);

    forest.first[parent] = (uint32_t)before;
    forest.children[parent] = (uint16_t)inner;
    forest.leaves[parent] = (uint16_t)(children - inner);
}

void forest_grow_published(const char *name, uint32_t nodes_max)
{
    struct found found = {.sink = {.more = sink_double}};
    const struct hasher *hasher;
    struct tree tree;
    struct node node;

    forest_clear(nodes_max, true);
    ck_assert_int_eq(tree_named(name, &tree), 0);
    ck_assert_int_eq(hasher_find("auto", &hasher), 0);
    found.expander = expander_create(&tree, hasher);
    expander_root(found.expander, &node);
    ck_assert_int_eq(sink_double(&found.sink), 0);
    found.sink.nodes[found.sink.count++] = node;
    for (uint32_t grown = 0; grown < node.children; grown += TREE_CHILDREN_MAX)
        ck_assert_int_eq(expander_grow(found.expander, &node, grown, &found.sink), 0);
    found_family(&found, 0, 1, node.children);
    for (uint32_t at = 1; at < found.sink.count; at++) {
        size_t before = found.sink.count;

        node = found.sink.nodes[at];
        ck_assert_uint_lt(at, nodes_max);
        ck_assert_int_eq(expander_expand(found.expander, &node, 1, &found.sink), 0);
        found_family(&found, at, before, node.children);
    }
    forest.nodes = (uint32_t)found.sink.count;
    free(found.sink.nodes);
    expander_destroy(found.expander);
}
