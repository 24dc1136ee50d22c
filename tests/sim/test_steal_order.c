/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks with levels and with costs on virtual ranks: however they are stolen and dealt, each is
 * executed once, and termination is found. */
#include "tests/lib/suite.h"

#include "tests/sim/cluster.h"

#include "libjuggle/ground/units.h"

/* Plays every amount, with and without lifelines. */
static void for_amounts(struct cluster_settings settings)
{
    for (int i = 0; steal_choice_name(STEAL_CHOICE_AMOUNT, i); i++) {
        settings.properties.amount = (enum steal_amount)i;
        settings.properties.chunk = i > 0 ? 3 : 0;
        settings.properties.lifelines = (int)settings.seed % 3;
        settings.properties.termination = (enum steal_termination)((settings.seed + 1) % 3);
        cluster_expect_right(&settings);
    }
}

static void for_orders(struct cluster_settings settings)
{
    settings.properties.levels = 3;
    for_amounts(settings);
    settings.properties.weighted = 1;
    for_amounts(settings);
    settings.properties.levels = 0;
    for_amounts(settings);
}

static struct cluster_settings basic(int ranks, uint64_t seed)
{
    struct cluster_settings settings = cluster_basic(ranks, seed);

    settings.properties.batch = 1 + seed % 5;
    return settings;
}

START_TEST(ordered_tasks_are_executed_once)
{
    static const int ranks[] = {1, 2, 3, 7, 33};

    forest_grow(4000);
    for (size_t i = 0; i < ARRAY_COUNT(ranks); i++)
        for (uint64_t seed = 0; seed < (stress() ? 200U : 6U); seed++)
            for_orders(basic(ranks[i], seed));
}

START_TEST(stalls_cancellations_large_tasks_and_full_deques_lose_none)
{
    forest_grow(3000);
    for (uint64_t seed = 0; seed < (stress() ? 200U : 4U); seed++) {
        struct cluster_settings settings = basic(13, seed);

        settings.stall_ns = 5 * NSEC_PER_MSEC;
        for_orders(settings);
        settings.properties.task_size = 3000;
        settings.properties.memory_max = 16 << 20;
        for_orders(settings);
        settings.deal_seeds = true;
        for_orders(settings);
        settings.cancel_node = 900;
        for_orders(settings);
    }
}

START_TEST(what_was_executed_is_sorted_when_it_is_restored)
{
    forest_grow(2000);
    for (uint64_t seed = 0; seed < (stress() ? 200U : 6U); seed++) {
        struct cluster_settings settings = basic(7, seed);

        settings.rounds = 3;
        settings.seed_all = true;
        settings.properties.batch = 1;
        settings.properties.weighted = 1;
        settings.properties.retain = STEAL_RETENTION_ALL;
        for_amounts(settings);
    }
}

SUITE("steal order")
