/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that gains nothing from being kept abreast is left to the kernel; one that gains is
 * not.
 */
#include "tests/lib/scene.h"

#define MS NSEC_PER_MSEC

enum { SEEDS = 5, PHASES = 400 };

static struct scenario scene;

static double over_kernel(void)
{
    return scene_time_ns(&scene, CONTENDER_POLICY) / scene_time_ns(&scene, CONTENDER_OPPONENT);
}

/* If they are kept abreast, the five stages take 1.09 to 1.19 of their time under the kernel. An
 * experiment that is misjudged costs until the next one, so a single length takes up to 1.11 by
 * chance. */
START_TEST(a_pipeline_is_left_to_the_kernel)
{
    static const int sizes[][2] = {{3, 2}, {5, 2}, {16, 12}};

    for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
        double sum = 0;
        int count = 0;
        for (int e_ms = 30; e_ms < 102; e_ms += 3, count++) {
            scene_costly(&scene, sizes[i][0], sizes[i][1], BARRIER_BLOCK, e_ms * MS, PHASES);
            scene.program = PROGRAM_PIPELINE;
            scene.parts = (struct scenario_parts){.count = 3, .values = {1, 0.5, 2}};
            sum += over_kernel();
        }
        ck_assert_msg(sum / count <= 1.03, "%d stages on %d processors: %.3f", sizes[i][0],
                      sizes[i][1], sum / count);
    }
}

/* Uneven work, and phases that differ: no length is regular, but turns pay. */
START_TEST(who_gains_is_not_left_to_the_kernel)
{
    scene_costly(&scene, 9, 8, BARRIER_BLOCK, 30 * MS, PHASES);
    scene.parts = (struct scenario_parts){.count = 3, .values = {1, 0.3, 2}};
    ck_assert_double_lt(over_kernel(), 0.8);
    scene_costly(&scene, 16, 12, BARRIER_BLOCK, 30 * MS, PHASES);
    scene.uneven = 0.5;
    /* A single run takes 0.95 to 0.98, by chance. */
    double sum = 0;
    for (scene.seed = 1; scene.seed <= SEEDS; scene.seed++)
        sum += over_kernel();
    ck_assert_double_lt(sum / SEEDS, 0.965);
}

/* Burnt processor time looks like work: experiments must not count it. */
START_TEST(spinning_is_not_taken_for_work)
{
    for (enum barrier_style barrier = BARRIER_YIELD; barrier <= BARRIER_BUSY; barrier++) {
        scene_costly(&scene, 3, 2, barrier, 30 * MS, PHASES);
        scene.parts = (struct scenario_parts){.count = 3, .values = {1, 0.3, 2}};
        ck_assert_double_lt(over_kernel(), barrier == BARRIER_YIELD ? 0.92 : 0.8);
    }
}

SUITE("experiments")
