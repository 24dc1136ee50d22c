/* SPDX-License-Identifier: BSD-3-Clause */
/* The shared bound of a collection on virtual ranks: it only gets better, is never better than what
 * a rank found, and is the best on every rank that leaves, whatever the network does. */
#include "tests/lib/suite.h"

#include "tests/sim/cluster.h"

#include "libjuggle/ground/units.h"

enum { RANKS = 13, PER_NODE = 3, NODES = (RANKS + PER_NODE - 1) / PER_NODE, MANY = 8192 };

static struct cluster_settings basic(int ranks, uint64_t seed)
{
    struct cluster_settings settings = cluster_basic(ranks, seed);

    settings.properties.bound = STEAL_BOUND_MAX;
    return settings;
}

static void for_terminations(struct cluster_settings settings)
{
    cluster_each_termination(settings, cluster_expect_right);
}

START_TEST(every_rank_leaves_with_the_best_bound)
{
    static const int ranks[] = {1, 2, 3, 7, 64};

    forest_grow(10000);
    for (size_t i = 0; i < ARRAY_COUNT(ranks); i++)
        for (uint64_t seed = 0; seed < (stress() ? 200U : 10U); seed++)
            for_terminations(basic(ranks[i], seed));
}

START_TEST(stalls_cancellations_and_rounds_change_nothing)
{
    forest_grow(5000);
    for (uint64_t seed = 0; seed < (stress() ? 200U : 10U); seed++) {
        struct cluster_settings settings = basic(RANKS, seed);

        settings.stall_ns = 5 * NSEC_PER_MSEC;
        for_terminations(settings);
        settings.cancel_node = 900;
        for_terminations(settings);
        settings.cancel_node = 0;
        settings.rounds = 3;
        settings.properties.retain = STEAL_RETENTION_ALL;
        settings.seed_all = true;
        for_terminations(settings);
        settings.properties.retain = STEAL_RETENTION_NONE;
        settings.seed_all = false;
        settings.relay = true;
        for_terminations(settings);
    }
}

START_TEST(ranks_of_a_node_share_a_cell_and_tell_other_nodes)
{
    int32_t node[RANKS], first[NODES + 1], member[RANKS];
    struct places places = {.ranks = RANKS,
                            .nodes = NODES,
                            .node = node,
                            .first = first,
                            .member = member,
                            .distance = distance_by_node};

    /* Some neighbors in the tree are on the same node. */
    for (int rank = 0; rank < RANKS; rank++)
        node[rank] = rank % 4 == 0 ? rank % NODES : rank / PER_NODE;
    places_group(node, RANKS, NODES, first, member);
    forest_grow(5000);
    for (uint64_t seed = 0; seed < (stress() ? 200U : 10U); seed++) {
        struct cluster_settings settings = basic(RANKS, seed);

        settings.places = &places;
        for_terminations(settings);
    }
}

/* The bound goes up the tree and down again, with one latency for each edge, which is at most twice
 * the basic one. */
START_TEST(a_bound_reaches_thousands_of_ranks_in_the_time_of_a_tree)
{
    struct cluster_settings settings = basic(MANY, 1);
    struct cluster_result result;
    int64_t tree_ns = 0;

    for (int ranks = MANY; ranks > 1; ranks /= 2)
        tree_ns += 2 * settings.latency_ns;
    forest_grow(300000);
    settings.jitter_ns = 0;
    settings.start_ns = 0;
    settings.seed_all = true;
    settings.properties.isolate = 1;
    settings.properties.poll_tasks = 1; /* a busy rank looks for messages as often as an idle one */
    ck_assert_ptr_null(cluster_run(&settings, &result));
    ck_assert_int_gt(result.spread_ns, 0);
    ck_assert_int_le(result.spread_ns, 3 * tree_ns);
}

SUITE("steal bound")
