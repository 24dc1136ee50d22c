/* SPDX-License-Identifier: BSD-3-Clause */
/* What the paper proves and measures, on the simulated machine: Lemma 1, the bounds, Fig. 15, and
 * how near the practical policies come to the idealized one. STRESS=1 plays the whole grid. */
#include "tests/lib/scene.h"

#include "libjuggle/ground/prng.h"

#define E_NS (1 * NSEC_PER_SEC)
#define MS   NSEC_PER_MSEC

static struct scenario scene;

/* ---- Lemma 1 ---- */

struct lemma {
    double lag_ns;
    double within_ns;
};

/* The samples that policies see are whole nanoseconds. */
#define LAG_TOLERANCE_NS 2.0

static void check_lag(void *context, struct rig *rig, int domain)
{
    const struct lemma *lemma = context;
    double least_ns = 1e300, most_ns = 0;

    (void)domain;
    rig_settle(rig);
    for (int i = 0; i < rig_scenario(rig)->threads_count; i++) {
        const struct task *task = rig_task(rig, i);
        if (task->state != TASK_COMPUTING)
            return; /* the lemma assumes that no thread has completed */
        least_ns = task->work_ns < least_ns ? task->work_ns : least_ns;
        most_ns = task->work_ns > most_ns ? task->work_ns : most_ns;
    }
    const double lag_ns = most_ns - least_ns;
    REQUIRE(lag_ns < LAG_TOLERANCE_NS || (lag_ns > lemma->lag_ns - LAG_TOLERANCE_NS &&
                                          lag_ns < lemma->lag_ns + LAG_TOLERANCE_NS),
            "(%d,%d): lag %.1f ns, neither 0 nor %.1f", rig_scenario(rig)->threads_count,
            rig_scenario(rig)->machine.processors_count, lag_ns, lemma->lag_ns);
    REQUIRE(lag_ns < lemma->within_ns, "the lag exceeds the period");
}

START_TEST(lemma_1_holds_at_every_balancing_point)
{
    const int trials_count = stress() ? 20000 : 3000;
    struct prng prng;

    prng_seed(&prng, 1);
    for (int trial = 0; trial < trials_count; trial++) {
        const int m = 2 + (int)prng_below(&prng, 30);
        const int n = m + 1 + (int)prng_below(&prng, (uint64_t)(3 * m));
        const int64_t period_ns = MS + (int64_t)prng_below(&prng, 50 * MS);
        struct lemma lemma = {
            .lag_ns = n % m ? (double)period_ns / (floor_div(n, m) * ceil_div(n, m)) : 0,
            .within_ns = (double)period_ns,
        };
        const struct run_observers observers = {.context = &lemma, .before_turn = check_lag};
        struct outcome outcome;

        scene_init(&scene, n, m, POLICY_IDEAL, 20 * period_ns, period_ns);
        ck_assert_int_eq(simulate(&scene, CONTENDER_POLICY, &observers, &outcome), 0);
    }
}

/* ---- bounds ---- */

START_TEST(no_policy_beats_the_continuous_bound)
{
    static const enum policy_kind kinds[] = {POLICY_JUGGLE, POLICY_PAPER, POLICY_IDEAL};
    struct prng prng;

    prng_seed(&prng, 2);
    for (int trial = 0; trial < 600; trial++) {
        const int m = 2 + (int)prng_below(&prng, 20);
        const int n = m + (int)prng_below(&prng, (uint64_t)(2 * m));

        scene_init(&scene, n, m, kinds[trial % 3], E_NS,
                   E_NS / 200 + (int64_t)prng_below(&prng, E_NS));
        scene.phases_count = 1 + (int)prng_below(&prng, 4);
        scene.barrier = (enum barrier_style)prng_below(&prng, 3);
        ck_assert_double_gt(scene_time_ns(&scene, CONTENDER_POLICY), scenario_ideal_ns(&scene) - 1);
    }
}

START_TEST(short_periods_come_within_three_percent_of_the_bound)
{
    static const enum policy_kind kinds[] = {POLICY_JUGGLE, POLICY_PAPER, POLICY_IDEAL};
    struct prng prng;

    prng_seed(&prng, 3);
    for (int trial = 0; trial < 300; trial++) {
        const int m = 2 + (int)prng_below(&prng, 30);
        const int n = m + 1 + (int)prng_below(&prng, (uint64_t)(2 * m));

        scene_init(&scene, n, m, kinds[trial % 3], E_NS, E_NS / 100);
        const double ratio = scene_time_ns(&scene, CONTENDER_POLICY) / scenario_ideal_ns(&scene);
        ck_assert_msg(ratio <= 1.03, "(%d,%d) under %s takes %.4f of e n/m", n, m,
                      policy_kind_name(kinds[trial % 3]), ratio);
    }
}

/* The numbers that the paper gives in its text: the relative speedups that balancing can reach. */
START_TEST(the_papers_speedups_are_reached)
{
    static const struct {
        int n, m;
        double speedup;
    } cases[] = {{16, 12, 1.5}, {8, 6, 1.5},     {4, 3, 1.5},
                 {8, 7, 1.75},  {13, 12, 1.846}, {25, 24, 1.92}};

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        scene_init(&scene, cases[i].n, cases[i].m, POLICY_PAPER, 30 * NSEC_PER_SEC, 100 * MS);
        const double speedup = scene_time_ns(&scene, CONTENDER_STATIC) /
                               scene_time_ns(&scene, CONTENDER_POLICY);
        ck_assert_double_eq_tol(speedup, cases[i].speedup, 0.02);
    }
    /* Two domains: the speedup is that of 4 threads on 3 processors, or of 5 on 4 if that domain
     * gets one more. */
    scene_init(&scene, 8, 7, POLICY_PAPER, 30 * NSEC_PER_SEC, 100 * MS);
    ck_assert_int_eq(machine_uniform(7, 2, &scene.machine), 0);
    const double split = scene_time_ns(&scene, CONTENDER_STATIC) /
                         scene_time_ns(&scene, CONTENDER_POLICY);
    ck_assert(split > 1.48 && split < 1.62);
}

/* ---- Fig. 15 ---- */

static double figure_15_speedup(double period_ratio, double jitter)
{
    enum { PHASES = 200 };

    scene_init(&scene, 8, 7, POLICY_PAPER, E_NS, (int64_t)(period_ratio * E_NS));
    scene.phases_count = PHASES;
    scene.policy.jitter = jitter;
    return scene_time_ns(&scene, CONTENDER_STATIC) / scene_time_ns(&scene, CONTENDER_POLICY);
}

/* If periods are whole phases, balancing points fall together with the ends of phases, where
 * nothing can be gained. */
START_TEST(periods_of_whole_phases_gain_nothing_unless_they_vary)
{
    for (int multiple = 2; multiple <= 6; multiple += 2) {
        ck_assert_double_eq_tol(figure_15_speedup(multiple, 0), 1.0, 0.005);
        ck_assert_double_gt(figure_15_speedup(multiple, 0.1), 1.02);
    }
    ck_assert_double_gt(figure_15_speedup(2.5, 0), 1.05);
}

/* ---- practical against ideal ---- */

static double completion_of(enum policy_kind kind)
{
    scene.policy.kind = kind;
    return scene_time_ns(&scene, CONTENDER_POLICY);
}

/* One of this many cells is played, unless all are. */
enum { CELLS_PER_TRIAL = 40 };

static void compare(int n, int m, enum policy_kind kind, int divisor, int phases_count,
                    double limit)
{
    scene_init(&scene, n, m, kind, E_NS, E_NS / divisor);
    scene.phases_count = phases_count;
    const double ratio = completion_of(kind) / completion_of(POLICY_IDEAL);
    ck_assert_msg(ratio <= limit, "%s at (%d,%d), period e/%d: %.4f of ideal",
                  policy_kind_name(kind), n, m, divisor, ratio);
}

/* 3 <= n <= 64, 2 <= m < n, with a period of e/divisor. */
static void compare_over_grid(enum policy_kind kind, int divisor, int phases_count, double limit)
{
    struct prng prng;

    prng_seed(&prng, 4);
    for (int n = 3; n <= 64; n++)
        for (int m = 2; m < n; m++)
            if (stress() || !prng_below(&prng, CELLS_PER_TRIAL))
                compare(n, m, kind, divisor, phases_count, limit);
}

START_TEST(the_papers_policy_is_as_good_as_the_ideal_one)
{
    compare_over_grid(POLICY_PAPER, 100, 1, 1.03);
    compare_over_grid(POLICY_PAPER, 10, 1, 1.03);
    compare_over_grid(POLICY_PAPER, 10, 8, 1.03);
}

/* This policy moves one thread where the paper swaps two, so a thread may be slow for two periods
 * in a row. */
START_TEST(the_juggle_policy_is_nearly_as_good_with_fewer_migrations)
{
    compare_over_grid(POLICY_JUGGLE, 100, 1, 1.03);
    compare_over_grid(POLICY_JUGGLE, 10, 1, 1.045);
    compare_over_grid(POLICY_JUGGLE, 10, 8, 1.045);
}

/* From the second phase on a turn may come at any point; then ties decide the result. */
START_TEST(the_juggle_policy_matches_the_ideal_one_phase_after_phase)
{
    for (int divisor = 10; divisor <= 90; divisor *= 3) {
        compare(9, 8, POLICY_JUGGLE, divisor, 8, 1.03);
        compare(16, 12, POLICY_JUGGLE, divisor, 8, 1.03);
        compare(65, 64, POLICY_JUGGLE, divisor, 8, 1.03);
    }
}

SUITE("paper")
