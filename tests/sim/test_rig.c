/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated machine without a policy: what threads get of it, worked out by hand. */
#include "tests/lib/scene.h"

#include "tools/sim/rig_state.h"

#define E_NS (1 * NSEC_PER_SEC)
#define MS   NSEC_PER_MSEC

/* Rounding is upward, by less than a nanosecond for each phase. */
#define ROUNDING_NS 2.0

static struct scenario scene;

static double static_ns(void)
{
    return scene_time_ns(&scene, CONTENDER_STATIC);
}

static double opponent_ns(enum opponent opponent)
{
    scene.opponent = opponent;
    return scene_time_ns(&scene, CONTENDER_OPPONENT);
}

START_TEST(threads_of_a_processor_share_it_evenly)
{
    for (int n = 1; n <= 40; n++) {
        for (int m = 1; m <= n; m++) {
            scene_init(&scene, n, m, POLICY_STATIC, E_NS, 10 * MS);
            ck_assert_double_eq_tol(static_ns(), (double)E_NS * ceil_div(n, m), ROUNDING_NS);
        }
    }
}

START_TEST(slices_give_the_same_in_the_end)
{
    scene_init(&scene, 3, 1, POLICY_STATIC, E_NS, 10 * MS);
    scene.sharing.slice_ns = 4 * MS;
    ck_assert_double_eq_tol(static_ns(), 3.0 * E_NS, ROUNDING_NS);
}

START_TEST(phases_follow_each_other)
{
    for (int barrier = BARRIER_BLOCK; barrier <= BARRIER_BUSY; barrier++) {
        scene_init(&scene, 2, 2, POLICY_STATIC, E_NS, 10 * MS);
        scene.phases_count = 7;
        scene.barrier = (enum barrier_style)barrier;
        ck_assert_double_eq_tol(static_ns(), 7.0 * E_NS, 7 * ROUNDING_NS);
    }
}

/* Two threads share a processor with speed 1, a third one runs alone on a processor with speed 1/4.
 */
START_TEST(slow_processors_take_longer)
{
    scene_init(&scene, 3, 2, POLICY_STATIC, E_NS, 10 * MS);
    scene.speeds[1] = 0.25;
    ck_assert_double_eq_tol(static_ns(), 4.0 * E_NS, ROUNDING_NS);
    ck_assert_double_eq_tol(scenario_ideal_ns(&scene), 3.0 / 1.25 * E_NS, ROUNDING_NS);
}

/* Siblings slow each other until one falls idle: 1 s of work at 0.8 and at 0.4, then the rest
 * alone. */
START_TEST(siblings_share_their_core)
{
    scene_init(&scene, 2, 2, POLICY_STATIC, E_NS, 10 * MS);
    scene.machine.processors[1].core = 0;
    scene.smt_speed = 0.8;
    ck_assert_double_eq_tol(static_ns(), E_NS / 0.8, ROUNDING_NS);
    scene.speeds[1] = 0.5;
    ck_assert_double_eq_tol(static_ns(), E_NS / 0.8 + (E_NS - E_NS / 0.8 * 0.4) / 0.5, ROUNDING_NS);
}

/* Both threads of P0 arrive at 2 s, the one of P1 at 1 s. The kind of barrier makes no difference
 * to a static distribution, but for threads that wait for another thread of their own processor. */
START_TEST(only_busy_waiting_costs_the_neighbor)
{
    for (int barrier = BARRIER_BLOCK; barrier <= BARRIER_BUSY; barrier++) {
        scene_init(&scene, 2, 1, POLICY_STATIC, E_NS, 10 * MS);
        scene.barrier = (enum barrier_style)barrier;
        scene.uneven = 0.5;
        const double total_ns = static_ns();
        scene.barrier = BARRIER_BLOCK;
        const double blocking_ns = static_ns();
        if (barrier == BARRIER_BUSY)
            ck_assert_double_gt(total_ns, blocking_ns * 1.01);
        else if (barrier == BARRIER_YIELD)
            ck_assert_double_eq_tol(total_ns, blocking_ns, blocking_ns * 0.004);
        else
            ck_assert_double_eq(total_ns, blocking_ns);
    }
}

/* Each turn takes 1 ms of every processor, each migration 1 ms of the thread's work. */
START_TEST(migrations_and_turns_cost_what_they_should)
{
    scene_init(&scene, 3, 2, POLICY_IDEAL, E_NS, 100 * MS);
    const struct outcome free = scene_play(&scene, CONTENDER_POLICY);
    scene.turn_cost_ns = 1 * MS;
    const struct outcome charged = scene_play(&scene, CONTENDER_POLICY);
    const int64_t charge_ns = charged.completion_ns - free.completion_ns;
    ck_assert(charge_ns >= charged.rounds_count * MS && charge_ns < 2 * charged.rounds_count * MS);
    scene.turn_cost_ns = 0;
    scene.migration_cost_ns = 1 * MS;
    const struct outcome moving = scene_play(&scene, CONTENDER_POLICY);
    ck_assert_int_gt(moving.completion_ns, free.completion_ns);
    ck_assert_int_le(moving.completion_ns, free.completion_ns + moving.migrations_count * MS);
}

/* Pinned to the same processor, a hog of the same weight takes half of it while it computes. */
START_TEST(hogs_weigh_by_their_nice_value)
{
    const int nice[] = {0, -3, 19};
    const double weight[] = {1024, 1991, 15};

    for (size_t i = 0; i < ARRAY_COUNT(nice); i++) {
        scene_init(&scene, 1, 1, POLICY_STATIC, E_NS, 10 * MS);
        scene.hogs.count = 1;
        scene.hogs.nice[0] = nice[i];
        scene.hogs.pinned = true;
        scene.hogs.scale = 1e-3; /* computes for 5 to 10 ms, sleeps for 0 to 5 ms: busy for three
                                    quarters of the time */
        scene.phases_count = 100;
        const double busy = 0.75;
        const double share = 1 - busy + busy * 1024 / (1024 + weight[i]);
        ck_assert_double_eq_tol(static_ns(), 100 * E_NS / share, 100 * E_NS * 0.01 / share);
    }
}

/* Equation (30) of the paper, for all 1 < n/m < 2. */
START_TEST(ideal_reactive_balancing_takes_what_the_paper_derives)
{
    for (int m = 2; m <= 40; m++) {
        for (int n = m + 1; n < 2 * m; n++) {
            double k = 0;
            while ((2 * m - n) * (1 << (int)k) < m)
                k++;
            scene_init(&scene, n, m, POLICY_STATIC, E_NS, 10 * MS);
            ck_assert_double_eq_tol(opponent_ns(OPPONENT_REACTIVE),
                                    (double)E_NS * (2 - 1.0 / (1 << (int)k)), 50.0);
        }
    }
}

START_TEST(the_kernel_pulls_when_a_processor_runs_dry)
{
    scene_init(&scene, 3, 2, POLICY_STATIC, 20 * MS, 10 * MS);
    ck_assert_double_eq_tol(opponent_ns(OPPONENT_KERNEL), 30.0 * MS, ROUNDING_NS);
}

/* No processor runs dry while all threads busy-wait: the kernel can only rotate them. */
START_TEST(the_kernel_rotates_an_imbalance_of_one_slowly)
{
    scene_init(&scene, 3, 2, POLICY_STATIC, 10 * E_NS, 10 * MS);
    scene.barrier = BARRIER_BUSY;
    scene.opponent = OPPONENT_KERNEL;
    const struct outcome outcome = scene_play(&scene, CONTENDER_OPPONENT);
    ck_assert_double_lt((double)outcome.completion_ns, 1.05 * scenario_ideal_ns(&scene));
    const double interval_ns = (double)outcome.completion_ns / (double)outcome.migrations_count;
    ck_assert(interval_ns > 50 * MS && interval_ns < 120 * MS);
}

START_TEST(the_kernel_leaves_seven_against_six_alone)
{
    scene_init(&scene, 13, 2, POLICY_STATIC, E_NS, 10 * MS);
    scene.barrier = BARRIER_BUSY;
    scene.opponent = OPPONENT_KERNEL;
    const struct outcome outcome = scene_play(&scene, CONTENDER_OPPONENT);
    ck_assert_int_eq(outcome.migrations_count, 0);
    ck_assert_double_eq_tol((double)outcome.completion_ns, 7.0 * E_NS, ROUNDING_NS);
}

START_TEST(the_kernel_respects_pins)
{
    scene_init(&scene, 3, 2, POLICY_STATIC, E_NS, 10 * MS);
    scene.opponent = OPPONENT_KERNEL;
    ck_assert_int_eq(scene_play(&scene, CONTENDER_POLICY).migrations_count, 0);
}

/* Plays a scene with everything that is random, twice. */
START_TEST(equal_seeds_run_equally)
{
    for (int seed = 0; seed < 20; seed++) {
        scene_init(&scene, 13, 6, POLICY_JUGGLE, E_NS, 10 * MS);
        scene.seed = scene.policy.seed = (uint64_t)seed;
        scene.policy.jitter = 0.1;
        scene.uneven = 0.2;
        scene.phases_count = 3;
        scene.opponent = OPPONENT_KERNEL;
        scene.hogs.count = 3;
        scene.hogs.scale = 0.1;
        const struct outcome first = scene_play(&scene, CONTENDER_POLICY);
        const struct outcome second = scene_play(&scene, CONTENDER_POLICY);
        ck_assert_int_eq(first.completion_ns, second.completion_ns);
        ck_assert_int_eq(first.migrations_count, second.migrations_count);
        ck_assert_int_eq(first.rounds_count, second.rounds_count);
        scene.seed++;
        ck_assert_int_ne(scene_play(&scene, CONTENDER_POLICY).completion_ns, first.completion_ns);
    }
}

/* Checks that stale counters lag behind by less than a tick per processor, and never run backwards.
 */
struct staleness {
    int64_t seen_ns[3];
    bool lagged;
};

static void compare_samples(void *context, struct rig *rig, int domain)
{
    struct staleness *staleness = context;
    struct ports ports;

    (void)domain;
    rig_ports(rig, &ports);
    rig_settle(rig);
    for (int i = 0; i < 3; i++) {
        struct sample sample;
        ck_assert_int_eq(ports.sample(ports.world, i, &sample), 0);
        const double lag_ns = rig_task(rig, i)->run_ns - (double)sample.run_ns;
        ck_assert(lag_ns > -1 && lag_ns < 4.0 * MS);
        ck_assert_int_ge(sample.run_ns, staleness->seen_ns[i]);
        staleness->seen_ns[i] = sample.run_ns;
        staleness->lagged |= lag_ns > 1;
    }
}

START_TEST(counters_move_at_ticks)
{
    struct staleness staleness = {0};
    const struct run_observers observers = {.context = &staleness, .before_turn = compare_samples};
    struct outcome outcome;

    scene_init(&scene, 3, 2, POLICY_PAPER, E_NS, 7 * MS);
    scene.tick_ns = 4 * MS;
    ck_assert_int_eq(simulate(&scene, CONTENDER_POLICY, &observers, &outcome), 0);
    ck_assert(staleness.lagged);
}

/* Checks that the counter of a thread that waits does not grow until it runs, and that run and wait
 * time are never more than the time that has passed. */
struct patience {
    int waiting_count, over_count;
    int64_t run_ns[2], wait_ns[2];
};

static void compare_waits(void *context, struct rig *rig, int domain)
{
    struct patience *patience = context;
    struct ports ports;

    (void)domain;
    rig_ports(rig, &ports);
    for (int i = 0; i < 2; i++) {
        struct sample sample;
        ck_assert_int_eq(ports.sample(ports.world, i, &sample), 0);
        const bool ran = sample.run_ns > patience->run_ns[i];
        ck_assert(ran || sample.wait_ns == patience->wait_ns[i]);
        ck_assert_int_ge(sample.wait_ns, patience->wait_ns[i]);
        ck_assert_int_le(sample.run_ns + sample.wait_ns, sample.now_ns + 2);
        patience->waiting_count += !ran;
        patience->over_count += sample.wait_ns > patience->wait_ns[i];
        patience->run_ns[i] = sample.run_ns;
        patience->wait_ns[i] = sample.wait_ns;
    }
}

START_TEST(a_wait_counts_when_it_is_over)
{
    struct patience patience = {0};
    const struct run_observers observers = {.context = &patience, .before_turn = compare_waits};
    struct outcome outcome;

    scene_init(&scene, 2, 1, POLICY_PAPER, 100 * MS, MS);
    scene.sharing.slice_ns = 4 * MS;
    ck_assert_int_eq(simulate(&scene, CONTENDER_POLICY, &observers, &outcome), 0);
    ck_assert_int_gt(patience.waiting_count, 100);
    ck_assert_int_gt(patience.over_count, 20);
}

/* ---- programs that are no row of equal phases ---- */

START_TEST(phases_of_an_iteration_may_differ)
{
    scene_init(&scene, 2, 2, POLICY_STATIC, E_NS, 10 * MS);
    scene.phases_count = 4;
    scene.parts = (struct scenario_parts){.count = 3, .values = {1, 0.25, 2}};
    ck_assert_double_eq_tol(static_ns(), 4.25 * E_NS, 4 * ROUNDING_NS);
    ck_assert_double_eq_tol(scenario_ideal_ns(&scene), 4.25 * E_NS, ROUNDING_NS);
}

/* Tasks of 1, 1, 3 and 1 s for two threads: one thread has done the first, second and fourth while
 * the other one is still at the third; no thread waits for another one before that. */
START_TEST(tasks_of_a_list_go_to_whoever_is_free)
{
    scene_init(&scene, 2, 2, POLICY_STATIC, E_NS, 10 * MS);
    scene.program = PROGRAM_LIST;
    scene.phases_count = 2;
    scene.parts = (struct scenario_parts){.count = 4, .values = {1, 1, 3, 1}};
    ck_assert_double_eq_tol(static_ns(), 4.0 * E_NS, 4 * ROUNDING_NS);
    ck_assert_double_eq_tol(scenario_ideal_ns(&scene), 3.0 * E_NS, ROUNDING_NS);
}

/* Three stages on a processor each: the longest one sets the pace; the others add their time before
 * the first item and after the last one. */
START_TEST(a_pipeline_goes_at_the_pace_of_its_longest_stage)
{
    for (int barrier = BARRIER_BLOCK; barrier <= BARRIER_BUSY; barrier++) {
        scene_init(&scene, 3, 3, POLICY_STATIC, E_NS, 10 * MS);
        scene.program = PROGRAM_PIPELINE;
        scene.barrier = (enum barrier_style)barrier;
        scene.phases_count = 10;
        scene.parts = (struct scenario_parts){.count = 3, .values = {0.5, 2, 1}};
        ck_assert_double_eq_tol(static_ns(), (0.5 + 10 * 2 + 1) * E_NS, 30 * ROUNDING_NS);
        ck_assert_double_eq_tol(scenario_ideal_ns(&scene), 20.0 * E_NS, ROUNDING_NS);
    }
}

/* ---- what else a machine does ---- */

/* A hog computes on P0 most of the time. A thread whose phase begins there need not wait for the
 * hog's slice to end. */
START_TEST(who_arrives_has_its_slice_at_once_if_the_kernel_preempts)
{
    double times_ns[2];

    for (int preempts = 0; preempts < 2; preempts++) {
        scene_init(&scene, 2, 2, POLICY_STATIC, MS, 10 * MS);
        scene.phases_count = 500;
        scene.hogs = (struct scenario_hogs){.count = 1, .pinned = true, .scale = 0.01};
        scene.sharing.slice_ns = 4 * MS;
        scene.sharing.preempts = preempts;
        times_ns[preempts] = static_ns();
    }
    ck_assert_double_lt(times_ns[1], 0.75 * times_ns[0]);
}

/* Time that the host takes is lost, and no counter shows it. */
START_TEST(what_the_host_takes_is_lost_and_not_counted)
{
    scene_init(&scene, 2, 2, POLICY_STATIC, 10 * E_NS, 10 * MS);
    scene.theft.share = 0.2;
    scene.program = PROGRAM_LIST;
    scene.phases_count = 20;
    const double time_ns = static_ns();
    ck_assert_double_gt(time_ns, 0.97 * scenario_ideal_ns(&scene));
    ck_assert_double_lt(time_ns, 1.03 * scenario_ideal_ns(&scene));
}

/* With more tasks than an int can count. */
START_TEST(the_parts_of_a_list_go_on_however_many_tasks_there_were)
{
    struct rig *rig;

    scene_init(&scene, 2, 2, POLICY_STATIC, E_NS, 10 * MS);
    scene.program = PROGRAM_LIST;
    scene.parts = (struct scenario_parts){.count = 3, .values = {1, 2, 3}};
    ck_assert_int_eq(rig_create(&scene, NULL, NULL, &rig), 0);
    for (int64_t i = 0; i < 6; i++) {
        rig->begun_count = 3 * (INT64_C(1) << 30) + i;
        ck_assert_double_eq_tol(rig_next_work_ns(rig, 0), (double)(E_NS * (1 + i % 3)), 1);
    }
    rig_destroy(rig);
}

SUITE("rig")
