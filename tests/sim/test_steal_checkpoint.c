/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints of virtual ranks, at every step of small cases. At each of them no message is under
 * way and all ranks know how many tasks are left. Nothing is lost or done twice, whether the same
 * ranks go on or others do. */
#include "tests/lib/suite.h"

#include "tests/sim/cluster.h"

#include "libjuggle/ground/units.h"

static void for_terminations(struct cluster_settings settings)
{
    cluster_each_termination(settings, cluster_expect_right);
}

/* Goes on with the same ranks, and with fewer and more. */
static void for_ranks(struct cluster_settings settings)
{
    static const int others[] = {0, 1, 2, 5};

    for (size_t i = 0; i < ARRAY_COUNT(others); i++) {
        settings.resume_ranks = others[i];
        for_terminations(settings);
    }
}

/* Plays a tree of up to `nodes` nodes with each of a few seeds. */
static void for_seeds(uint32_t roots, int m, double q, uint32_t nodes, uint64_t few,
                      void (*play)(uint64_t seed))
{
    forest_grow_shape(roots, m, q, nodes);
    for (uint64_t seed = 0; seed < (stress() ? 200 : few); seed++)
        play(seed);
}

static void pause_often(uint64_t seed)
{
    for (int ranks = 1; ranks <= 4; ranks++)
        for (int64_t every = 1; every <= forest.nodes; every += every < 4 ? 1 : 5) {
            struct cluster_settings settings = cluster_basic(ranks, seed);

            settings.pause_every = every;
            settings.properties.batch = 1 + seed % 3;
            settings.stall_ns = seed % 2 == 0 ? 0 : NSEC_PER_MSEC;
            for_ranks(settings);
        }
}

START_TEST(a_small_tree_pauses_at_every_step)
{
    for_seeds(6, 3, 0.25, 60, 3, pause_often);
}

static void pause_with_all_kinds(uint64_t seed)
{
    struct cluster_settings settings = cluster_basic(7, seed);

    settings.pause_every = 30 + (int64_t)(seed % 5) * 17;
    settings.stall_ns = 5 * NSEC_PER_MSEC;
    settings.properties.levels = 3;
    for_ranks(settings);
    settings.properties.weighted = 1;
    for_ranks(settings);
    settings.properties.levels = 0;
    settings.properties.weighted = 0;
    settings.properties.waiting = 1;
    for_ranks(settings);
    settings.properties.waiting = 0;
    settings.seed_all = true;
    settings.rounds = 3;
    settings.properties.retain = STEAL_RETENTION_ALL;
    settings.properties.batch = 1 + seed % 3;
    for_ranks(settings);
    settings.properties.weighted = 1;
    for_ranks(settings);
}

START_TEST(tasks_of_all_kinds_pause)
{
    for_seeds(40, 5, 0.19, 700, 4, pause_with_all_kinds);
}

static void pause_when_full(uint64_t seed)
{
    struct cluster_settings settings = cluster_basic(13, seed);

    settings.pause_every = 150;
    settings.deal_seeds = true;
    for_ranks(settings);
    settings.deal_seeds = false;
    settings.properties.task_size = 6000;
    settings.properties.tasks = 16;
    settings.properties.memory_max = 256 * 6000;
    for (settings.resume_ranks = 0; settings.resume_ranks <= 20; settings.resume_ranks += 10)
        for_terminations(settings);
}

START_TEST(large_tasks_full_deques_and_first_deals_pause)
{
    for_seeds(200, 8, 0.12, 2000, 3, pause_when_full);
}

static void pause_beside_a_cancellation(uint64_t seed)
{
    for (uint32_t node = 50; node < 60; node++) {
        struct cluster_settings settings = cluster_basic(6, seed);

        settings.pause_every = 50 + (int64_t)(seed % 7);
        settings.cancel_node = node;
        for_terminations(settings);
    }
}

START_TEST(who_cancels_beside_a_pause_ends_all)
{
    for_seeds(40, 5, 0.19, 700, 20, pause_beside_a_cancellation);
}

SUITE("steal checkpoint")
