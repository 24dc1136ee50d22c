/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated machines with processors of different speed and with siblings, against the theory. */
#include "tests/lib/scene.h"

#include "libjuggle/ground/prng.h"
#include "libjuggle/theory/unequal.h"

#include <math.h>

enum { RANDOM_CASES = 300 };

#define MS   NSEC_PER_MSEC
#define E_NS (1000 * MS)

static struct scenario scene; /* too large for the stack */
static struct unequal_machine theory_machine;

/* Kinds of cores, the fastest first, as static placement takes them. */
struct kind {
    int cores;
    double speed;
    int width;
};

static void scene_of(int n, double smt, const struct kind *kinds, int kinds_count,
                     enum policy_kind policy)
{
    int m = 0;

    for (int i = 0; i < kinds_count; i++)
        m += kinds[i].cores * kinds[i].width;
    scene_init(&scene, n, m, policy, E_NS, 10 * MS);
    scene.smt_speed = smt;
    unequal_machine_begin(smt, &theory_machine);
    for (int i = 0, processor = 0; i < kinds_count; i++)
        for (int j = 0; j < kinds[i].cores; j++) {
            ck_assert_int_eq(unequal_machine_add(&theory_machine, kinds[i].speed, kinds[i].width),
                             0);
            for (int side = 0; side < kinds[i].width; side++, processor++) {
                scene.speeds[processor] = kinds[i].speed;
                scene.machine.processors[processor].core = processor - side;
            }
        }
}

static void random_scene(struct prng *prng, double smt_least, enum policy_kind policy)
{
    const double fast = 1 + prng_unit(prng);
    const struct kind kinds[] = {
        {1 + (int)prng_below(prng, 5), fast, 1 + (int)prng_below(prng, 2)},
        {1 + (int)prng_below(prng, 5), fast * (0.2 + 0.7 * prng_unit(prng)), 1},
    };
    const int n = 1 + (int)prng_below(prng, 24);

    scene_of(n, smt_least + (1 - smt_least) * prng_unit(prng), kinds, ARRAY_COUNT(kinds), policy);
}

static struct theory_case case_of_scene(void)
{
    return (struct theory_case){
        .n = scene.threads_count,
        .m = scene.machine.processors_count,
        .e_ns = scene.phase_ns,
        .lambda_ns = scene.policy.period_ns,
        .phases = scene.phases_count,
        .domains = 1,
    };
}

START_TEST(static_takes_what_the_theory_says)
{
    struct prng prng;

    prng_seed(&prng, 1);
    for (int i = 0; i < RANDOM_CASES; i++) {
        random_scene(&prng, 0.4, POLICY_STATIC);
        const struct theory_case app = case_of_scene();
        double time_ns;

        ck_assert_int_eq(unequal_static(&app, &theory_machine, &time_ns), THEORY_HOLDS);
        ck_assert_double_eq_tol(scene_time_ns(&scene, CONTENDER_STATIC), time_ns, 1000);
    }
}

START_TEST(reactive_takes_what_the_theory_says_with_a_processor_for_each)
{
    struct prng prng;

    prng_seed(&prng, 2);
    for (int i = 0; i < RANDOM_CASES; i++) {
        random_scene(&prng, 1, POLICY_STATIC);
        scene.opponent = OPPONENT_REACTIVE;
        scene.threads_count = 1 + scene.threads_count % scene.machine.processors_count;
        scene.policy.threads_max = scene.threads_count;
        const struct theory_case app = case_of_scene();
        double time_ns;

        ck_assert_int_eq(unequal_reactive(&app, &theory_machine, &time_ns), THEORY_HOLDS);
        ck_assert_double_eq_tol(scene_time_ns(&scene, CONTENDER_OPPONENT), time_ns, 1000);
    }
}

static const enum policy_kind balancing[] = {POLICY_JUGGLE, POLICY_PAPER, POLICY_IDEAL};

START_TEST(nobody_beats_the_bound)
{
    struct prng prng;

    prng_seed(&prng, 3);
    for (int i = 0; i < RANDOM_CASES; i++) {
        random_scene(&prng, 0.4, balancing[prng_below(&prng, ARRAY_COUNT(balancing))]);
        scene.seed = prng_below(&prng, 1000);
        scene.barrier = (enum barrier_style)prng_below(&prng, BARRIER_BUSY + 1);
        scene.opponent = prng_below(&prng, 2) ? OPPONENT_KERNEL : OPPONENT_REACTIVE;
        const double bound_ns = scenario_ideal_ns(&scene) - 1000;

        ck_assert_double_ge(scene_time_ns(&scene, CONTENDER_STATIC), bound_ns);
        ck_assert_double_ge(scene_time_ns(&scene, CONTENDER_OPPONENT), bound_ns);
        ck_assert_double_ge(scene_time_ns(&scene, CONTENDER_POLICY), bound_ns);
    }
}

/* ---- the kernel model ---- */

/* When the fast processor becomes free, the slow thread has 0.4 s left, and takes 0.4 s there. */
START_TEST(the_kernel_pulls_to_a_faster_processor_at_once)
{
    static const struct kind kinds[] = {{1, 1, 1}, {1, 0.6, 1}};

    scene_of(2, 1, kinds, ARRAY_COUNT(kinds), POLICY_STATIC);
    scene.opponent = OPPONENT_KERNEL;
    ck_assert_double_eq_tol(scene_time_ns(&scene, CONTENDER_OPPONENT), 1.4 * E_NS, MS);
}

START_TEST(the_kernel_leaves_processors_of_nearly_the_same_speed_alone)
{
    static const struct kind kinds[] = {{1, 1, 1}, {1, 0.95, 1}};

    scene_of(2, 1, kinds, ARRAY_COUNT(kinds), POLICY_STATIC);
    scene.opponent = OPPONENT_KERNEL;
    ck_assert_double_eq_tol(scene_time_ns(&scene, CONTENDER_OPPONENT), E_NS / 0.95, MS);
}

/* Three threads on two cores: one of the two siblings gets the other core, though not at once. */
START_TEST(the_kernel_parts_siblings_after_a_while)
{
    static const struct kind kinds[] = {{2, 1, 2}};

    scene_of(3, 0.6, kinds, ARRAY_COUNT(kinds), POLICY_STATIC);
    scene.opponent = OPPONENT_KERNEL;
    const double time_ns = scene_time_ns(&scene, CONTENDER_OPPONENT);
    ck_assert_double_gt(time_ns, 1.4 * E_NS + 2 * MS);
    ck_assert_double_lt(time_ns, E_NS / 0.6 - 100 * MS);
}

/* The kernel wakes threads on idle cores: two threads never share a core if there are three. */
START_TEST(the_kernel_wakes_on_idle_cores)
{
    static const struct kind kinds[] = {{3, 1, 2}};

    scene_of(2, 0.6, kinds, ARRAY_COUNT(kinds), POLICY_STATIC);
    scene.opponent = OPPONENT_KERNEL;
    scene.phases_count = 5;
    ck_assert_double_eq_tol(scene_time_ns(&scene, CONTENDER_OPPONENT), 5.0 * E_NS, MS);
}

/* ---- what the policy is told ---- */

START_TEST(the_policy_is_told_what_the_user_wants)
{
    static struct settings settings;
    const char *expected;

    settings_init(&settings);
    ck_assert_int_eq(option_speeds("1x2,0.5x2", &settings.speeds, &expected), 0);
    ck_assert_int_eq(option_smt("0.6x2", &settings.smt, &expected), 0);
    settings_scenario(&settings, &scene);
    ck_assert_int_eq(scene.machine.processors_count, 4);
    ck_assert_int_eq(scene.machine.processors[3].rate, RATE_ONE / 2);
    ck_assert_int_eq(scene.machine.smt_rate, RATE_ONE * 6 / 10);
    ck_assert_int_eq(scene.machine.processors[1].core, 0);
    ck_assert_int_eq(scene.machine.processors[3].core, 3);
    settings.told.kind = TOLD_EQUAL;
    settings_scenario(&settings, &scene);
    ck_assert_int_eq(scene.machine.processors[3].rate, RATE_ONE);
    ck_assert_double_eq(scene.speeds[3], 0.5);
    settings.told.kind = TOLD_NOTHING;
    settings_scenario(&settings, &scene);
    ck_assert_int_eq(scene.machine.processors[3].rate, 0);
    settings.told.kind = TOLD_LIST;
    ck_assert_int_eq(option_speeds("2,1", &settings.told.speeds, &expected), 0);
    settings_scenario(&settings, &scene);
    ck_assert_int_eq(scene.machine.processors[2].rate, 2 * RATE_ONE);
}

SUITE("speeds")
