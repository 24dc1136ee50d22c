/* SPDX-License-Identifier: BSD-3-Clause */
/* Speeds that the machine does not tell: they are learned from phases and from the work that
 * threads report, and from nothing else. */
#include "tests/lib/scene.h"

#include "libjuggle/ground/prng.h"

#include <math.h>

#define MS NSEC_PER_MSEC

enum {
    PHASES = 40,
    LEARNED_AFTER = 10,
    RANDOM_CASES = 150,
    LENGTH_FIRST_MS = 25,
    LENGTHS_COUNT = 11,
    UNEVEN_SEEDS = 10,
};

static struct scenario scene, other;

/* The speeds that the policy believed after the tenth phase, and whether they were learned. */
static struct witness {
    struct machine now, then;
    bool learned_now, learned_then;
} witness;

static void note_turn(void *context, struct rig *rig, struct engine *engine, int domain)
{
    struct witness *noted = context;

    (void)rig;
    (void)domain;
    noted->learned_now = engine_machine(engine, &noted->now);
}

static void note_phase(void *context, const struct rig *rig, int phase)
{
    struct witness *noted = context;

    (void)rig;
    if (phase + 1 != LEARNED_AFTER)
        return;
    noted->then = noted->now;
    noted->learned_then = noted->learned_now;
}

static struct outcome play(void)
{
    const struct rig_observer observer = {.context = &witness, .phase_done = note_phase};
    const struct run_observers observers = {
        .observer = &observer, .context = &witness, .after_turn = note_turn};
    struct outcome outcome;

    memset(&witness, 0, sizeof(witness));
    ck_assert_int_eq(simulate(&scene, CONTENDER_POLICY, &observers, &outcome), 0);
    return outcome;
}

/* A scene in which the machine tells no speeds. */
static void scene_untold(int n, int m, enum barrier_style barrier, enum telling telling)
{
    scene_costly(&scene, n, m, barrier, 30 * MS, PHASES);
    scene.telling = telling;
    scene.machine.smt_rate = 0;
    for (int i = 0; i < m; i++)
        scene.machine.processors[i].rate = 0;
}

static void scene_kinds(int n, int fast, int slow, double speed, enum barrier_style barrier,
                        enum telling telling)
{
    scene_untold(n, fast + slow, barrier, telling);
    for (int i = fast; i < fast + slow; i++)
        scene.speeds[i] = speed;
}

static void scene_siblings(int n, enum barrier_style barrier, enum telling telling)
{
    scene_untold(n, 16, barrier, telling);
    scene.smt_speed = 0.62;
    for (int i = 0; i < 16; i++)
        scene.machine.processors[i].core = i & ~1;
}

static void check_near(const char *what, int64_t rate, double truth)
{
    const double believed = (double)rate / (double)RATE_ONE;

    ck_assert_msg(fabs(believed - truth) <= 0.03 * truth, "%d threads: %s is %.3f, not %.3f",
                  scene.threads_count, what, believed, truth);
}

static void check_kinds(void)
{
    play();
    ck_assert_msg(witness.learned_then, "%d threads: nothing learned", scene.threads_count);
    for (int i = 0; i < scene.machine.processors_count; i++)
        check_near("a speed", witness.then.processors[i].rate, scene.speeds[i]);
}

static const struct way {
    enum barrier_style barrier;
    enum telling telling;
} ways[] = {
    {BARRIER_BLOCK, TELLING_NOTHING},
    {BARRIER_BLOCK, TELLING_UNITS},
    {BARRIER_YIELD, TELLING_WAITS},
    {BARRIER_YIELD, TELLING_UNITS},
};

static double worst_error(void)
{
    double worst = 0;

    for (int i = 0; i < scene.machine.processors_count; i++) {
        const double believed = (double)witness.then.processors[i].rate / (double)RATE_ONE;
        worst = fmax(worst, fabs(believed / scene.speeds[i] - 1));
    }
    return worst;
}

/* Checks the mean over several lengths of phases, because slices make the results of single lengths
 * better and worse. */
static void check_shared_kinds(int n, const struct way *way)
{
    double sum = 0;

    for (int e_ms = LENGTH_FIRST_MS; e_ms < LENGTH_FIRST_MS + LENGTHS_COUNT; e_ms++) {
        scene_kinds(n, 4, 4, 0.6, way->barrier, way->telling);
        scene.phase_ns = e_ms * MS;
        play();
        ck_assert_msg(witness.learned_then, "%d threads: nothing learned", n);
        sum += worst_error();
    }
    ck_assert_msg(sum / LENGTHS_COUNT <= 0.03, "%d threads: speeds are off by %.3f", n,
                  sum / LENGTHS_COUNT);
}

static void check_siblings(void)
{
    play();
    ck_assert_msg(witness.learned_then, "%d threads: nothing learned", scene.threads_count);
    check_near("the factor", witness.then.smt_rate, scene.smt_speed);
    for (int i = 0; i < scene.machine.processors_count; i++)
        check_near("a speed", machine_rate(&witness.then, i), 1);
}

START_TEST(speeds_are_learned_within_ten_phases)
{
    for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
        scene_kinds(8, 4, 4, 0.6, ways[i].barrier, ways[i].telling);
        check_kinds();
        scene_kinds(14, 6, 8, 0.5, ways[i].barrier, ways[i].telling);
        check_kinds();
    }
}

START_TEST(speeds_are_learned_where_threads_share_processors)
{
    for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
        check_shared_kinds(9, &ways[i]);
        check_shared_kinds(12, &ways[i]);
    }
}

/* Of fifteen threads only one is alone on its core. A barrier at which one thread waits does not
 * show, but reported work does. Threads that sleep report less that can be used: turns are too far
 * apart for two periods of nothing but work. */
START_TEST(the_factor_of_siblings_is_learned_within_ten_phases)
{
    static const struct {
        struct way way;
        int threads_max;
    } cases[] = {
        {{BARRIER_BLOCK, TELLING_NOTHING}, 12},
        {{BARRIER_BLOCK, TELLING_UNITS}, 9},
        {{BARRIER_YIELD, TELLING_WAITS}, 12},
        {{BARRIER_YIELD, TELLING_UNITS}, 15},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        for (int n = 9; n <= cases[i].threads_max; n += 3) {
            scene_siblings(n, cases[i].way.barrier, cases[i].way.telling);
            check_siblings();
        }
}

/* ---- what must not be learned ---- */

static void random_scene(struct prng *prng)
{
    const int m = 2 + (int)prng_below(prng, 15);
    const int n = 1 + (int)prng_below(prng, 24);

    scene_untold(n, m, (enum barrier_style)prng_below(prng, BARRIER_BUSY + 1), TELLING_NOTHING);
    scene.phase_ns = (1 + (int64_t)prng_below(prng, 60)) * MS;
    scene.phases_count = 20;
    scene.opponent = prng_below(prng, 2) ? OPPONENT_KERNEL : OPPONENT_NONE;
    scene.sharing.slice_ns = prng_below(prng, 2) ? 4 * MS : 0;
    scene.tick_ns = prng_below(prng, 2) ? 4 * MS : 0;
}

/* Plays `scene`, with a machine that tells that all processors are alike. */
static struct outcome play_told_equal(void)
{
    struct outcome outcome;

    other = scene;
    other.machine.smt_rate = RATE_ONE;
    for (int i = 0; i < other.machine.processors_count; i++)
        other.machine.processors[i].rate = RATE_ONE;
    ck_assert_int_eq(simulate(&other, CONTENDER_POLICY, NULL, &outcome), 0);
    return outcome;
}

START_TEST(equal_processors_are_balanced_as_if_that_were_known)
{
    struct prng prng;

    prng_seed(&prng, 1);
    for (int i = 0; i < RANDOM_CASES; i++) {
        random_scene(&prng);
        const struct outcome untold = play(), told = play_told_equal();
        ck_assert_msg(!witness.learned_now, "case %d: %d threads on %d processors", i,
                      scene.threads_count, scene.machine.processors_count);
        ck_assert_int_eq(untold.completion_ns, told.completion_ns);
        ck_assert_int_eq(untold.rounds_count, told.rounds_count);
        ck_assert_int_eq(untold.migrations_count, told.migrations_count);
    }
}

START_TEST(hogs_are_no_slow_processors)
{
    for (int n = 4; n <= 12; n += 4) {
        scene_untold(n, 8, BARRIER_BLOCK, TELLING_NOTHING);
        scene.hogs = (struct scenario_hogs){.count = 2, .pinned = true, .scale = 0.02};
        play();
        ck_assert_msg(!witness.learned_now, "%d threads beside two hogs", n);
    }
}

/* A difference may be learned by chance at last, while the policy rests: this is rare, and costs
 * nothing. */
START_TEST(uneven_work_is_no_slow_processor)
{
    int cases_count = 0, learned_count = 0;

    for (int n = 4; n <= 12; n++)
        for (int tenths = 1; tenths < 6; tenths += 2)
            for (int seed = 1; seed <= UNEVEN_SEEDS; seed++, cases_count++) {
                scene_untold(n, 8, BARRIER_BLOCK, TELLING_NOTHING);
                scene.uneven = tenths / 10.0;
                scene.seed = seed;
                const struct outcome untold = play();
                learned_count += witness.learned_now;
                const struct outcome told = play_told_equal();
                ck_assert_double_le((double)untold.completion_ns,
                                    1.01 * (double)told.completion_ns);
            }
    ck_assert_int_le(10 * learned_count, cases_count);
}

/* In a long run a difference is learned by chance now and then: it must not cost. */
START_TEST(what_chance_says_costs_little)
{
    static const struct {
        int n, m;
        double uneven;
    } cases[] = {{2, 2, 0.5}, {3, 2, 0}, {3, 2, 0.5}, {4, 4, 0.5}};

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        scene_untold(cases[i].n, cases[i].m, BARRIER_BLOCK, TELLING_NOTHING);
        scene.uneven = cases[i].uneven;
        scene.tick_ns = 4 * MS;
        scene.phases_count = 400;
        const struct outcome untold = play(), told = play_told_equal();
        ck_assert_msg((double)untold.completion_ns <= 1.01 * (double)told.completion_ns,
                      "%d threads on %d processors, work within %.1f: %.3f", cases[i].n, cases[i].m,
                      cases[i].uneven, (double)untold.completion_ns / (double)told.completion_ns);
    }
}

/* A difference that was learned by chance must be given up again, also if threads yield, which
 * hides what they burn. */
START_TEST(what_chance_says_is_refuted)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        scene_untold(9, 8, BARRIER_YIELD, TELLING_NOTHING);
        scene.uneven = 0.3;
        scene.seed = seed;
        scene.phases_count = 400;
        const struct outcome untold = play(), told = play_told_equal();
        ck_assert_msg((double)untold.completion_ns <= 1.02 * (double)told.completion_ns,
                      "seed %d: %.3f", (int)seed,
                      (double)untold.completion_ns / (double)told.completion_ns);
    }
}

SUITE("learning")
