/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stealing runtime on virtual ranks. STRESS=1 in the environment walks the tree with 2,000
 * ranks over 200 seeds, each with other strategies; SEEDS=FIRST-LAST over others.
 */
#include "tests/lib/suite.h"

#include "tests/sim/cluster.h"

#include "libjuggle/ground/units.h"

enum {
    VICTIMS = STEAL_VICTIM_NEAREST + 1,
    AMOUNTS = STEAL_AMOUNT_K + 1,
    TERMINATIONS = STEAL_TERMINATION_FINISH + 1,
};

/* Returns the number of seeds: half of `most`, or all under STRESS, because sanitizers are slow. */
static uint64_t seeds(uint64_t most)
{
    return stress() ? most : (most + 1) / 2;
}

typedef void check_settings(const struct cluster_settings *settings);

static const struct lifeline_setting {
    int lifelines, radix, tries;
} lifeline_settings[] = {{0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {3, 9, 1}, {10, 0, 8}};

/* Runs `check` for every setting of lifelines that is a hypercube for this number of ranks. */
static void for_all_lifelines(struct cluster_settings settings, check_settings *check)
{
    struct steal_properties *properties = &settings.properties;

    for (size_t i = 0; i < ARRAY_COUNT(lifeline_settings); i++) {
        properties->lifelines = lifeline_settings[i].lifelines;
        properties->radix = lifeline_settings[i].radix;
        properties->tries = lifeline_settings[i].tries;
        check(&settings);
    }
}

static void for_terminations(struct cluster_settings settings, int first, int count,
                             check_settings *check)
{
    for (int i = 0; i < count; i++) {
        settings.properties.termination = (enum steal_termination)((first + i) % TERMINATIONS);
        check(&settings);
    }
}

/* Runs `check` for every combination of victim and amount, each with `terminations` terminations.
 */
static void for_strategies(struct cluster_settings settings, int terminations,
                           check_settings *check)
{
    struct steal_properties *properties = &settings.properties;
    const size_t chunk = properties->chunk;

    for (int victim = 0; steal_choice_name(STEAL_CHOICE_VICTIM, victim); victim++)
        for (int amount = 0; steal_choice_name(STEAL_CHOICE_AMOUNT, amount); amount++) {
            properties->victim = (enum steal_victim)victim;
            properties->amount = (enum steal_amount)amount;
            properties->chunk = amount == STEAL_AMOUNT_HALF ? 0 : chunk;
            for_terminations(settings, victim + amount + (int)settings.seed, terminations, check);
        }
}

static void for_all_strategies(struct cluster_settings settings, check_settings *check)
{
    for_strategies(settings, TERMINATIONS, check);
}

/* Every pair of choices occurs in each seed, and every triple in three seeds in a row. */
static void for_pairs_of_strategies(struct cluster_settings settings, check_settings *check)
{
    for_strategies(settings, 1, check);
}

/* Walks a tree of `nodes_max` nodes with half of `most` seeds, or all. */
static void for_seeds(uint64_t most, uint32_t nodes_max, struct cluster_settings settings)
{
    forest_grow(nodes_max);
    for (uint64_t seed = 0; seed < seeds(most); seed++) {
        settings.seed = settings.properties.seed = seed;
        for_pairs_of_strategies(settings, cluster_expect_right);
    }
}

START_TEST(every_strategy_visits_every_node_once)
{
    static const int ranks[] = {1, 2, 3, 7, 64};

    forest_grow(30000);
    for (size_t i = 0; i < ARRAY_COUNT(ranks); i++)
        for (uint64_t seed = 0; seed < seeds(4); seed++)
            for_all_strategies(cluster_basic(ranks[i], seed), cluster_expect_right);
}

START_TEST(tasks_that_travel_longer_than_waves_are_missed_by_none)
{
    struct cluster_settings settings = cluster_basic(9, 0);

    settings.stall_ns = 5 * NSEC_PER_MSEC;
    for_seeds(20, 20000, settings);
}

START_TEST(ranks_that_begin_late_are_waited_for)
{
    struct cluster_settings settings = cluster_basic(16, 0);

    settings.start_ns = 100 * NSEC_PER_MSEC;
    for_seeds(10, 20000, settings);
}

START_TEST(nothing_to_do_ends_at_once)
{
    struct cluster_settings settings = cluster_basic(33, 0);

    settings.no_tasks = true;
    settings.rounds = 3;
    for_seeds(10, 20000, settings);
}

START_TEST(retained_tasks_are_executed_again_in_every_round)
{
    struct cluster_settings settings = cluster_basic(16, 0);

    settings.seed_all = true;
    settings.rounds = 4;
    settings.properties.retain = 1;
    for_seeds(3, 20000, settings);
}

static void expect_lifelines(const struct cluster_settings *settings)
{
    for_all_lifelines(*settings, cluster_expect_right);
}

START_TEST(lifelines_forget_nobody)
{
    static const int ranks[] = {1, 2, 3, 7, 64};

    forest_grow(10000);
    for (size_t i = 0; i < ARRAY_COUNT(ranks); i++) {
        struct cluster_settings settings = cluster_basic(ranks[i], i);

        settings.stall_ns = i % 2 ? 5 * NSEC_PER_MSEC : 0;
        settings.start_ns = 10 * NSEC_PER_MSEC;
        for_pairs_of_strategies(settings, expect_lifelines);
    }
}

START_TEST(lifelines_outlive_rounds_and_emptiness)
{
    struct cluster_settings settings = cluster_basic(16, 3);

    forest_grow(10000);
    settings.properties.retain = 1;
    settings.seed_all = true;
    settings.rounds = 3;
    for_pairs_of_strategies(settings, expect_lifelines);
    settings = cluster_basic(17, 3);
    settings.relay = true;
    settings.rounds = 3;
    for_pairs_of_strategies(settings, expect_lifelines);
    settings = cluster_basic(18, 3);
    settings.no_tasks = true;
    settings.rounds = 2;
    for_pairs_of_strategies(settings, expect_lifelines);
}

START_TEST(first_tasks_are_dealt_to_all)
{
    struct cluster_settings settings = cluster_basic(50, 3);

    forest_grow(10000);
    settings.deal_seeds = true;
    for_pairs_of_strategies(settings, expect_lifelines);
    settings = cluster_basic(1, 3);
    settings.deal_seeds = true;
    cluster_expect_right(&settings);
    settings = cluster_basic(200, 3);
    settings.deal_seeds = true;
    settings.properties.termination = STEAL_TERMINATION_FINISH;
    cluster_expect_right(&settings);
}

static void expect_fewer_steals(const struct cluster_settings *settings)
{
    struct cluster_settings longer = *settings;
    struct cluster_result first, both;

    ck_assert_ptr_null(cluster_run(settings, &first));
    longer.rounds = 2;
    ck_assert_ptr_null(cluster_run(&longer, &both));
    ck_assert_int_lt(both.successful - first.successful, first.successful);
}

START_TEST(retention_saves_steals)
{
    struct cluster_settings settings = cluster_basic(16, 1);

    forest_grow(20000);
    settings.seed_all = true;
    settings.properties.retain = 1;
    expect_fewer_steals(&settings);
}

START_TEST(tasks_added_to_another_collection_wait_for_it)
{
    struct cluster_settings settings = cluster_basic(16, 0);

    settings.relay = true;
    settings.rounds = 4;
    for_seeds(3, 20000, settings);
}

START_TEST(batches_and_growing_deques_lose_nothing)
{
    struct cluster_settings settings = cluster_basic(24, 0);

    settings.properties.batch = 16;
    settings.properties.tasks = 2;
    settings.properties.chunk = 3;
    for_seeds(4, 30000, settings);
}

START_TEST(isolated_ranks_execute_what_they_have)
{
    struct cluster_settings settings = cluster_basic(16, 3);
    struct cluster_result result;

    forest_grow(20000);
    settings.seed_all = true;
    settings.properties.isolate = 1;
    ck_assert_ptr_null(cluster_run(&settings, &result));
    ck_assert_int_eq(result.attempted, 0);
    ck_assert_int_eq(result.visited, forest.nodes);
}

static void expect_canceled(const struct cluster_settings *settings)
{
    struct cluster_result result;

    cluster_expect_none(settings, cluster_run(settings, &result));
    ck_assert_int_lt(result.visited, forest.nodes);
}

START_TEST(canceling_reaches_all_ranks_and_all_of_them_leave)
{
    static const int ranks[] = {1, 2, 3, 7, 64};

    forest_grow(30000);
    for (size_t i = 0; i < ARRAY_COUNT(ranks); i++)
        for (uint64_t seed = 0; seed < seeds(2); seed++) {
            struct cluster_settings settings = cluster_basic(ranks[i], seed);

            settings.cancel_node = 200 - (uint32_t)seed; /* the last ones are executed first */
            settings.stall_ns = seed % 2 ? NSEC_PER_MSEC : 0;
            for_pairs_of_strategies(settings, expect_canceled);
            settings.properties.termination = (enum steal_termination)(seed % 3);
            for_all_lifelines(settings, expect_canceled);
        }
}

/* A message holds two of these tasks. */
START_TEST(large_tasks_are_given_in_as_many_messages_as_it_takes)
{
    forest_grow(20000);
    for (uint64_t seed = 0; seed < seeds(4); seed++) {
        struct cluster_settings settings = cluster_basic(7, seed);

        settings.properties.task_size = 32768;
        settings.properties.memory_max = 1 << 30;
        settings.stall_ns = NSEC_PER_MSEC;
        for_pairs_of_strategies(settings, cluster_expect_right);
        for_all_lifelines(settings, cluster_expect_right);
    }
}

START_TEST(same_seed_same_run)
{
    struct cluster_settings settings = cluster_basic(50, 11);
    struct cluster_result a, b;

    forest_grow(20000);
    ck_assert_ptr_null(cluster_run(&settings, &a));
    ck_assert_ptr_null(cluster_run(&settings, &b));
    ck_assert_mem_eq(&a, &b, sizeof(a));
}

/* Takes the last digit of a number to this base off the number, and returns it. */
static int digit(uint64_t *number, size_t base)
{
    const int last = (int)(*number % base);

    *number /= base;
    return last;
}

/* Returns the settings for a seed. Any 360 seeds in a row have every strategy with each setting of
 * lifelines, with and without stalls, and neighboring seeds have little in common. */
static struct cluster_settings any(int ranks, uint64_t seed)
{
    struct cluster_settings settings = cluster_basic(ranks, seed);
    uint64_t number = 109 * seed; /* 109 and 360 have no factor in common */

    settings.properties.victim = (enum steal_victim)digit(&number, VICTIMS);
    settings.properties.amount = (enum steal_amount)digit(&number, AMOUNTS);
    settings.properties.termination = (enum steal_termination)digit(&number, TERMINATIONS);
    settings.stall_ns = digit(&number, 2) ? 2 * NSEC_PER_MSEC : 0;
    const struct lifeline_setting *lifelines =
        &lifeline_settings[digit(&number, ARRAY_COUNT(lifeline_settings))];
    settings.properties.lifelines = lifelines->lifelines;
    settings.properties.tries = lifelines->tries;
    return settings;
}

START_TEST(thousands_of_ranks)
{
    const bool many = stress() || getenv("SEEDS");
    const struct seeds wanted = many ? seeds_wanted(0, 200) : seeds_wanted(2, 1);

    forest_grow(many ? 4000000 : 300000);
    for (uint64_t seed = wanted.first; seed <= wanted.last; seed++) {
        struct cluster_settings settings = any(2000, seed);

        cluster_expect_right(&settings);
    }
}

SUITE("steal")
