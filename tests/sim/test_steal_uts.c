/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The published tree T3 on virtual ranks: nodes and leaves must be exact whatever the network does.
 * STRESS=1 in the environment takes 2,000 ranks over 200 seeds of latency and order, then 8,192
 * ranks once; RANKS and SEEDS=FIRST-LAST take others.
 */
#include "tests/lib/suite.h"

#include "tests/sim/cluster.h"

#include "libjuggle/policy/units.h"
#include "tools/uts/expander.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { T3_NODES = 4112897, T3_LEAVES = 3599034, ROOM_FIRST = 1 << 16 };

/* Inner nodes, in the order in which they are found: what a task of the cluster is. */
struct found {
    struct node_sink sink;
    struct expander *expander;
    struct forest *forest;
};

static int found_more(struct node_sink *sink)
{
    size_t room = sink->room ? 2 * sink->room : ROOM_FIRST;
    struct node *nodes = reallocarray(sink->nodes, room, sizeof(*nodes));

    if (!nodes)
        return -ENOMEM;
    sink->nodes = nodes;
    sink->room = room;
    return 0;
}

/* The children that were found since `before` are those of `parent`. */
static void found_family(struct found *found, uint32_t parent, size_t before, uint32_t children)
{
    struct forest *forest = found->forest;
    uint32_t inner = (uint32_t)(found->sink.count - before);

    forest->first[parent] = (uint32_t)before;
    forest->children[parent] = (uint16_t)inner;
    forest->leaves[parent] = (uint16_t)(children - inner);
}

static void grow_published(struct forest *forest, const char *name, uint32_t nodes_max)
{
    struct found found = {.sink = {.more = found_more}, .forest = forest};
    const struct hasher *hasher;
    struct tree tree;
    struct node node;

    forest->first = calloc(nodes_max, sizeof(*forest->first));
    forest->children = calloc(nodes_max, sizeof(*forest->children));
    forest->leaves = calloc(nodes_max, sizeof(*forest->leaves));
    ck_assert_int_eq(tree_named(name, &tree), 0);
    ck_assert_int_eq(hasher_find("auto", &hasher), 0);
    found.expander = expander_create(&tree, hasher);
    expander_root(found.expander, &node);
    ck_assert_int_eq(found_more(&found.sink), 0);
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
    forest->nodes = (uint32_t)found.sink.count;
    free(found.sink.nodes);
    expander_destroy(found.expander);
}

static void expect_exact(const struct forest *forest, int ranks, uint64_t seed)
{
    const struct cluster_settings settings = {
        .forest = forest,
        .ranks = ranks,
        .seed = seed,
        .latency_ns = 20 * NSEC_PER_USEC,
        .jitter_ns = 50 * NSEC_PER_USEC,
        .stall_ns = seed % 4 == 0 ? 2 * NSEC_PER_MSEC : 0,
        .task_ns = 8 * NSEC_PER_USEC,
        .start_ns = 50 * NSEC_PER_USEC,
        .rounds = 1,
        .properties = {.seed = seed,
                       .victim = (enum steal_victim)(seed % 2),
                       .termination = (enum steal_termination)(seed / 2 % 2)},
    };
    struct cluster_result result;
    const char *wrong = cluster_run(&settings, &result);

    ck_assert_msg(!wrong, "seed %lu: %s", (unsigned long)seed, wrong);
    ck_assert_int_eq(result.visited + result.leaves, T3_NODES);
    ck_assert_int_eq(result.leaves, T3_LEAVES);
    printf("%d ranks, seed %lu: %ld events, %ld of %ld steals, %.3f ms\n", ranks,
           (unsigned long)seed, (long)result.events, (long)result.successful,
           (long)result.attempted, (double)result.elapsed_ns / (double)NSEC_PER_MSEC);
}

static void grow_t3(struct forest *forest)
{
    grow_published(forest, "T3", T3_NODES - T3_LEAVES + 1);
    ck_assert_uint_eq(forest->nodes, T3_NODES - T3_LEAVES);
}

static void expect_exact_over(const struct forest *forest, int ranks, uint64_t first, uint64_t last)
{
    for (uint64_t seed = first; seed <= last; seed++)
        expect_exact(forest, ranks, seed);
}

START_TEST(t3_is_exact_on_many_ranks)
{
    const bool stress = getenv("STRESS") != NULL;
    const char *ranks = getenv("RANKS");
    const char *seeds = getenv("SEEDS");
    uint64_t first = 1, last = stress ? 200 : 4;
    struct forest forest;

    if (seeds)
        ck_assert_int_eq(sscanf(seeds, "%" SCNu64 "-%" SCNu64, &first, &last), 2);
    grow_t3(&forest);
    expect_exact_over(&forest, ranks ? atoi(ranks) : stress ? 2000 : 100, first, last);
    forest_free(&forest);
}
END_TEST

START_TEST(t3_is_exact_on_thousands_of_ranks)
{
    struct forest forest;

    if (!getenv("STRESS") || getenv("RANKS") || getenv("SEEDS"))
        return;
    grow_t3(&forest);
    expect_exact(&forest, 8192, 1);
    forest_free(&forest);
}
END_TEST

SUITE("steal uts", t3_is_exact_on_many_ranks, t3_is_exact_on_thousands_of_ranks)
