/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan for the phase: how near the default policy comes to e n/m, slices and costs included. */
#include "tests/lib/scene.h"

#define MS NSEC_PER_MSEC
#define US NSEC_PER_USEC

enum { PHASES = 40 };

static struct scenario scene;

static double ratio(enum contender contender)
{
    return scene_time_ns(&scene, contender) / scenario_ideal_ns(&scene);
}

static void check_all(int n, int m, enum barrier_style barrier, const double *at_most)
{
    static const int64_t lengths_ns[] = {3 * MS, 10 * MS, 30 * MS, 100 * MS};

    for (size_t i = 0; i < ARRAY_COUNT(lengths_ns); i++) {
        scene_costly(&scene, n, m, barrier, lengths_ns[i], PHASES);
        const double found = ratio(CONTENDER_POLICY);
        ck_assert_msg(found <= at_most[i], "(%d,%d), %lld ms: %.3f of e n/m, at most %.3f", n, m,
                      (long long)(lengths_ns[i] / MS), found, at_most[i]);
    }
}

START_TEST(sixteen_on_twelve_come_near_the_ideal)
{
    check_all(16, 12, BARRIER_BLOCK, (const double[]){1.20, 1.07, 1.03, 1.015});
    check_all(16, 12, BARRIER_YIELD, (const double[]){1.20, 1.07, 1.03, 1.016});
}

START_TEST(nine_on_eight_come_near_the_ideal)
{
    check_all(9, 8, BARRIER_BLOCK, (const double[]){1.30, 1.09, 1.04, 1.016});
    check_all(9, 8, BARRIER_YIELD, (const double[]){1.33, 1.09, 1.04, 1.02});
}

/* Ideal would be sixty-five turns in a phase: the policy takes as many as pay. */
START_TEST(sixty_five_on_sixty_four_take_the_turns_that_pay)
{
    check_all(65, 64, BARRIER_BLOCK, (const double[]){1.45, 1.151, 1.07, 1.03});
    check_all(65, 64, BARRIER_YIELD, (const double[]){1.47, 1.16, 1.07, 1.04});
}

/* A scene with fast and slow processors whose speeds the policy knows: 4 with speed 1 and 4 with
 * 0.6, or 6 with 1 and 8 with 0.5. */
static void scene_unequal(int n, int fast, int slow, double speed, enum barrier_style barrier)
{
    scene_costly(&scene, n, fast + slow, barrier, 30 * MS, PHASES);
    for (int i = fast; i < fast + slow; i++) {
        scene.speeds[i] = speed;
        scene.machine.processors[i].rate = (int64_t)(speed * (double)RATE_ONE);
    }
}

static void check_unequal(double at_most)
{
    const double found = ratio(CONTENDER_POLICY);

    ck_assert_msg(
        found <= at_most && found <= ratio(CONTENDER_STATIC) && found <= ratio(CONTENDER_OPPONENT),
        "%d threads: %.3f of the ideal, at most %.3f; static %.3f, kernel %.3f",
        scene.threads_count, found, at_most, ratio(CONTENDER_STATIC), ratio(CONTENDER_OPPONENT));
}

START_TEST(slow_processors_are_passed_round)
{
    static const enum barrier_style barriers[] = {BARRIER_BLOCK, BARRIER_YIELD};

    for (size_t i = 0; i < ARRAY_COUNT(barriers); i++) {
        scene_unequal(8, 4, 4, 0.6, barriers[i]);
        check_unequal(1.06);
        scene_unequal(9, 4, 4, 0.6, barriers[i]);
        check_unequal(1.08);
        scene_unequal(12, 4, 4, 0.6, barriers[i]);
        check_unequal(1.08);
        scene_unequal(14, 6, 8, 0.5, barriers[i]);
        check_unequal(1.07);
    }
}

/* Eight cores with two siblings each: a thread that is alone on a core is fast, two on a core are
 * not. */
START_TEST(lone_cores_are_passed_round)
{
    static const enum barrier_style barriers[] = {BARRIER_BLOCK, BARRIER_YIELD};

    for (size_t i = 0; i < ARRAY_COUNT(barriers); i++) {
        for (int n = 9; n <= 15; n += 3) {
            scene_costly(&scene, n, 16, barriers[i], 30 * MS, PHASES);
            scene.smt_speed = 0.62;
            scene.machine.smt_rate = RATE_ONE * 62 / 100;
            for (int j = 0; j < 16; j++)
                scene.machine.processors[j].core = j / 2;
            const double found = ratio(CONTENDER_POLICY);
            ck_assert_msg(found <= 1.06, "%d threads: %.3f of the ideal", n, found);
        }
    }
}

/* Turns cannot follow such short phases: they take the kernel's time, plus the looks that find that
 * out. */
START_TEST(phases_too_short_for_turns_are_left_alone)
{
    static const int64_t lengths_ns[] = {100 * US, 300 * US, MS};

    for (size_t i = 0; i < ARRAY_COUNT(lengths_ns); i++) {
        scene_costly(&scene, 3, 2, BARRIER_BLOCK, lengths_ns[i], PHASES);
        scene.phases_count = 3000;
        ck_assert_double_le(ratio(CONTENDER_POLICY), 1.005 * ratio(CONTENDER_OPPONENT));
    }
}

/* A good plan sees a barrier at every turn: that does not mean that phases are too short. */
START_TEST(phases_of_a_few_turns_are_shaped)
{
    for (int64_t e_ns = 2 * MS; e_ns <= 4 * MS; e_ns += MS / 2) {
        scene_costly(&scene, 3, 2, BARRIER_BLOCK, e_ns, PHASES);
        scene.phases_count = 2000;
        ck_assert_double_lt(ratio(CONTENDER_POLICY), 1.1);
    }
}

/* A plan that is wrong again and again must not be worse than distributing the threads once. */
START_TEST(irregular_work_is_no_cliff)
{
    static const enum barrier_style barriers[] = {BARRIER_BLOCK, BARRIER_YIELD};

    for (size_t i = 0; i < ARRAY_COUNT(barriers); i++) {
        for (int64_t e_ns = 3 * MS; e_ns <= 100 * MS; e_ns = e_ns * 3 + MS) {
            scene_costly(&scene, 9, 8, barriers[i], e_ns, PHASES);
            scene.uneven = 0.5;
            const double planned = ratio(CONTENDER_POLICY);
            ck_assert_double_lt(planned, ratio(CONTENDER_STATIC));
        }
    }
}

/* A thread that notices an open barrier a slice late must not spoil what samples alone tell. */
START_TEST(telling_does_no_harm)
{
    static const struct {
        int n, m;
    } sizes[] = {{3, 2}, {5, 2}, {9, 8}, {16, 12}};

    for (enum barrier_style barrier = BARRIER_BLOCK; barrier <= BARRIER_BUSY; barrier++)
        for (size_t i = 0; i < ARRAY_COUNT(sizes); i++)
            for (int64_t e_ns = 10 * MS; e_ns <= 100 * MS; e_ns = e_ns * 3 + 10 * MS) {
                scene_costly(&scene, sizes[i].n, sizes[i].m, barrier, e_ns, PHASES);
                const double silent = ratio(CONTENDER_POLICY);
                scene.telling = TELLING_WAITS;
                const double told = ratio(CONTENDER_POLICY);
                ck_assert_msg(told <= 1.03 * silent, "(%d,%d), barrier %d, %lld ms: %.3f, not %.3f",
                              sizes[i].n, sizes[i].m, barrier, (long long)(e_ns / MS), told,
                              silent);
            }
}

SUITE("plan")
