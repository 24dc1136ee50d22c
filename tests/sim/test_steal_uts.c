/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The published tree T3 on virtual ranks: nodes and leaves must be exact whatever the network does.
 * STRESS=1 in the environment takes 2,000 ranks over 200 seeds of latency and order, then 8,192
 * ranks once; RANKS and SEEDS=FIRST-LAST take other numbers of them.
 */
#include "tests/lib/suite.h"

#include "tests/sim/cluster.h"
#include "tests/sim/published.h"

#include "libjuggle/ground/units.h"

#include <stdio.h>
#include <string.h>

enum { T3_NODES = 4112897, T3_LEAVES = 3599034 };

static void expect_exact(int ranks, uint64_t seed)
{
    const struct cluster_settings settings = {
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

static void grow_t3(void)
{
    forest_grow_published("T3", T3_NODES - T3_LEAVES + 1);
    ck_assert_uint_eq(forest.nodes, T3_NODES - T3_LEAVES);
}

START_TEST(t3_is_exact_on_many_ranks)
{
    const struct seeds seeds = seeds_wanted(1, stress() ? 200 : 4);
    const char *ranks = getenv("RANKS");

    grow_t3();
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        expect_exact(ranks ? atoi(ranks) : stress() ? 2000 : 100, seed);
}

START_TEST(t3_is_exact_on_thousands_of_ranks)
{
    if (!stress() || getenv("RANKS") || getenv("SEEDS")) {
        printf("skip: thousands of ranks take STRESS=1, without RANKS and SEEDS\n");
        return;
    }
    grow_t3();
    expect_exact(8192, 1);
}

SUITE("steal uts")
