/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that wait for counters on virtual ranks: each is executed once, after all tasks that it
 * waits for, on whatever rank these were, and termination is neither missed nor found too early. */
#include "tests/lib/suite.h"

#include "tests/sim/cluster.h"

#include "libjuggle/ground/units.h"

#include <string.h>

enum { EDGE = 24, BLOCKS = EDGE * EDGE };

/* A wavefront: a block waits for those above it and to its left. */
static struct {
    unsigned char done[BLOCKS];
    bool wrong;
} grid;

static int64_t needs(uint64_t block)
{
    return (block % EDGE > 0) + (block >= EDGE);
}

static void finish(struct steal_worker *worker, struct steal_collection *here, uint64_t block)
{
    grid.wrong |= block % EDGE > 0 && !grid.done[block - 1];
    grid.wrong |= block >= EDGE && !grid.done[block - EDGE];
    grid.done[block] = 1;
    if (block % EDGE < EDGE - 1)
        grid.wrong |= steal_count_down(worker, here, block + 1) < 0;
    if (block + EDGE < BLOCKS)
        grid.wrong |= steal_count_down(worker, here, block + EDGE) < 0;
}

static void expect_right(const struct cluster_settings *settings)
{
    struct cluster_result result;
    const char *wrong;

    memset(&grid, 0, sizeof(grid));
    wrong = cluster_run(settings, &result);
    if (!wrong && grid.wrong)
        wrong = "a task did not wait";
    cluster_expect_none(settings, wrong);
}

static void for_terminations(struct cluster_settings settings)
{
    cluster_each_termination(settings, expect_right);
}

static struct cluster_settings basic(int ranks, uint64_t seed)
{
    struct cluster_settings settings = cluster_basic(ranks, seed);

    settings.properties.waiting = 1;
    settings.properties.batch = 1 + seed % 3;
    return settings;
}

START_TEST(blocks_of_a_wavefront_wait_for_each_other)
{
    static const int ranks[] = {1, 2, 3, 7, 33};

    forest_grow_shape(BLOCKS - 1, 1, 0, BLOCKS);
    for (size_t i = 0; i < ARRAY_COUNT(ranks); i++)
        for (uint64_t seed = 0; seed < (stress() ? 200U : 8U); seed++) {
            struct cluster_settings settings = basic(ranks[i], seed);

            settings.seed_all = true;
            settings.visited = finish;
            settings.needs = needs;
            settings.stall_ns = seed % 2 == 0 ? 0 : 5 * NSEC_PER_MSEC;
            settings.properties.levels = seed % 3 == 0 ? 2 : 0;
            for_terminations(settings);
        }
}

START_TEST(trees_of_tasks_that_wait_are_walked_once)
{
    forest_grow(4000);
    for (uint64_t seed = 0; seed < (stress() ? 200U : 8U); seed++) {
        struct cluster_settings settings = basic(13, seed);

        settings.stall_ns = 5 * NSEC_PER_MSEC;
        for_terminations(settings);
        settings.cancel_node = 900;
        for_terminations(settings);
        settings.cancel_node = 0;
        settings.relay = true;
        settings.rounds = 3;
        for_terminations(settings);
    }
}

SUITE("steal waiting")
