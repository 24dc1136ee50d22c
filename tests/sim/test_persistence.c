/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterative programs on virtual ranks, under every scheme. STRESS=1 in the environment runs 2,000
 * ranks over 200 seeds, SEEDS=FIRST-LAST over others.
 */
#include "tests/lib/suite.h"

#include "tests/sim/iterations.h"

#include "libjuggle/ground/units.h"

enum scheme { STEAL, CENTRAL, HIERARCHICAL, COMBINED, SCHEMES };

static struct iterations_settings basic(enum scheme scheme, int ranks, uint64_t seed)
{
    struct iterations_settings settings = {.ranks = ranks,
                                           .tasks = 12 * ranks,
                                           .iterations = 4,
                                           .seed = seed,
                                           .rebalance = scheme != STEAL};

    if (scheme == CENTRAL)
        settings.balance.balancer = STEAL_BALANCER_CENTRAL;
    if (scheme == CENTRAL || scheme == HIERARCHICAL)
        settings.isolate_from = 1;
    return settings;
}

static struct iterations_result run(const struct iterations_settings *settings)
{
    struct iterations_result result;
    const char *wrong = iterations_run(settings, &result);

    ck_assert_msg(!wrong, "%d ranks, seed %lu, balancer %d, isolated from %d: %s", settings->ranks,
                  (unsigned long)settings->seed, (int)settings->balance.balancer,
                  settings->isolate_from, wrong);
    return result;
}

/* ---- no task is lost, none is executed twice ----------------------------------------------- */

START_TEST(every_scheme_executes_each_task_once_in_each_iteration)
{
    static const int ranks[] = {1, 2, 3, 5, 8, 31};

    for (size_t i = 0; i < ARRAY_COUNT(ranks); i++)
        for (int scheme = 0; scheme < SCHEMES; scheme++)
            for (uint64_t seed = 0; seed < 6; seed++) {
                struct iterations_settings settings = basic((enum scheme)scheme, ranks[i], seed);

                settings.properties.order = (enum steal_order)(seed % 2);
                settings.balance.donation = (enum steal_donation)(seed / 2 % 2);
                settings.properties.batch = seed % 3 ? 1 : 4;
                settings.balance.within_nodes = seed % 2;
                run(&settings);
            }
}

START_TEST(tasks_that_vanish_and_tasks_that_come_are_told_apart)
{
    static const double replaced[] = {0.01, 0.1, 1};

    for (size_t i = 0; i < ARRAY_COUNT(replaced); i++)
        for (int scheme = 0; scheme < SCHEMES; scheme++)
            for (uint64_t seed = 0; seed < 4; seed++) {
                struct iterations_settings settings = basic((enum scheme)scheme, 9, seed);

                settings.replaced = replaced[i];
                settings.tasks = 300;
                settings.iterations = 6;
                run(&settings);
            }
}

START_TEST(thousands_of_ranks)
{
    const struct seeds seeds = seeds_wanted(0, stress() ? 200 : 2);

    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        struct iterations_settings settings = basic(
            seed % 2 ? HIERARCHICAL + (seed / 2 % 2) : CENTRAL, 2000, seed);

        settings.tasks = 10000;
        settings.iterations = 3;
        settings.replaced = 0.02;
        run(&settings);
    }
}

/* ---- what it brings ------------------------------------------------------------------------ */

START_TEST(what_is_balanced_stays_so_without_stealing)
{
    for (int scheme = CENTRAL; scheme <= HIERARCHICAL; scheme++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            struct iterations_settings settings = basic((enum scheme)scheme, 27, seed);
            struct iterations_result result;

            settings.tasks = 27 * 100;
            result = run(&settings);
            for (int i = 1; i < settings.iterations; i++) {
                ck_assert_int_eq(result.iteration[i].attempted, 0);
                ck_assert_double_lt(iteration_imbalance(&settings, &result.iteration[i]), 1.02);
                ck_assert_int_eq(result.iteration[i].predicted_max_ns,
                                 result.iteration[i].load_max_ns);
            }
            ck_assert_int_le(result.iteration[3].moved, result.iteration[1].moved / 5);
        }
}

START_TEST(drifting_costs_are_followed)
{
    static const double drift[] = {0.01, 0.05, 0.2};

    for (size_t i = 0; i < ARRAY_COUNT(drift); i++) {
        struct iterations_settings settings = basic(HIERARCHICAL, 16, i);
        struct iterations_result result;

        settings.tasks = 16 * 60;
        settings.iterations = 10;
        settings.drift = drift[i];
        result = run(&settings);
        for (int k = 2; k < settings.iterations; k++)
            ck_assert_double_lt(iteration_imbalance(&settings, &result.iteration[k]),
                                1.03 + drift[i] / 2);
    }
}

START_TEST(stealing_mends_what_the_prediction_missed)
{
    double alone = 0, combined = 0;

    for (uint64_t seed = 0; seed < 5; seed++) {
        struct iterations_settings settings = basic(HIERARCHICAL, 16, seed);

        settings.tasks = 16 * 40;
        settings.drift = 0.5;
        alone += (double)run(&settings).iteration[3].elapsed_ns;
        settings.isolate_from = 0;
        combined += (double)run(&settings).iteration[3].elapsed_ns;
    }
    ck_assert_double_lt(combined, alone);
}

START_TEST(retention_needs_fewer_steals_from_iteration_to_iteration)
{
    struct iterations_settings settings = basic(STEAL, 64, 1);
    struct iterations_result result;

    settings.tasks = 64 * 50;
    settings.iterations = 5;
    result = run(&settings);
    ck_assert_int_lt(result.iteration[1].successful, result.iteration[0].successful / 2);
    ck_assert_int_lt(result.iteration[4].successful, result.iteration[0].successful / 4);
    ck_assert_int_lt(result.iteration[4].attempted, result.iteration[0].attempted);
}

START_TEST(the_same_seed_gives_the_same_run)
{
    struct iterations_settings settings = basic(COMBINED, 20, 5);
    struct iterations_result a = run(&settings), b = run(&settings);

    ck_assert_mem_eq(&a, &b, sizeof(a));
}

SUITE("persistence")
