/* SPDX-License-Identifier: BSD-3-Clause */
/* When the policy leaves threads to the kernel, and when it balances them again. */
#include "tests/lib/policy_bench.h"

START_TEST(automatic_period_rests_when_nobody_shares)
{
    begin(POLICY_JUGGLE, 2, 1, 2);
    live(2, bench.plan.next_ns - bench.now_ns);
    check_period(PERIOD_RESTING, 20 * NSEC_PER_MSEC, 100 * NSEC_PER_MSEC);
    check_scopes(2, SCOPE_DOMAIN);
    arrive_hinted(2, -1);
    run_fairly(3, 50 * NSEC_PER_MSEC);
    bench.plan.next_ns = bench.now_ns;
    period(3);
    check_period(PERIOD_BLIND, 1 * NSEC_PER_MSEC, 5 * NSEC_PER_MSEC);
    check_scopes(3, SCOPE_PROCESSOR);
}

/* Like a shell that waits for its children, or a rank that sleeps beside one that computes. */
START_TEST(who_sleeps_beside_another_lets_it_rest)
{
    begin(POLICY_JUGGLE, 2, 1, 3);
    for (int look = 0; look < 20; look++) {
        bench.now_ns = bench.plan.next_ns;
        for (int i = 0; i < 3; i++)
            bench.totals[i].now_ns = bench.now_ns;
        for (int i = 1; i < 3; i++)
            bench.totals[i].run_ns = bench.now_ns - NSEC_PER_SEC;
        bench.totals[0].state = SAMPLE_SLEEPING;
        period(3);
    }
    check_period(PERIOD_RESTING, 20 * NSEC_PER_MSEC, 100 * NSEC_PER_MSEC);
    check_scopes(3, SCOPE_DOMAIN);
}

/* The third thread ends. From then on interrupts make one of the other two wait for 0.5 ms every
 * eighth turn. */
START_TEST(waits_now_and_then_are_no_reason_for_turns)
{
    begin(POLICY_JUGGLE, 2, 1, 3);
    live(3, bench.plan.next_ns - bench.now_ns);
    check_scopes(3, SCOPE_PROCESSOR);
    send(EVENT_THREAD_EXITED, 2);
    bench.plan.next_ns = bench.now_ns + NSEC_PER_MSEC;
    for (int turn = 0; turn < 100; turn++) {
        const int64_t span_ns = bench.plan.next_ns - bench.now_ns;
        const int64_t wait_ns = turn % 8 ? 0 : min_i64(span_ns / 2, NSEC_PER_MSEC / 2);
        bench.now_ns += span_ns;
        for (int slot = 0; slot < 2; slot++) {
            bench.totals[slot].run_ns += span_ns - (slot ? 0 : wait_ns);
            bench.totals[slot].wait_ns += slot ? 0 : wait_ns;
            bench.totals[slot].now_ns = bench.now_ns;
        }
        period(2);
    }
    check_period(PERIOD_RESTING, 20 * NSEC_PER_MSEC, 100 * NSEC_PER_MSEC);
    check_scopes(2, SCOPE_DOMAIN);
}

/* A thread that arrives may be gone before the next look could open its mask. */
START_TEST(who_arrives_while_nobody_waits_is_not_kept_at_home)
{
    begin(POLICY_JUGGLE, 2, 1, 2);
    live(2, bench.plan.next_ns - bench.now_ns);
    arrive_hinted(2, -1);
    check_scopes(3, SCOPE_DOMAIN);
    send(EVENT_PROCESSOR_LOST, 1);
    ck_assert_int_eq(held(0), 3);
    check_scopes(3, SCOPE_DOMAIN);
}

START_TEST(a_processor_that_turns_out_slow_ends_the_rest)
{
    begin(POLICY_JUGGLE, 2, 1, 2);
    live(2, bench.plan.next_ns - bench.now_ns);
    check_scopes(2, SCOPE_DOMAIN);
    bench.policy->processors[1].learned_rate = RATE_ONE / 2;
    bench.plan.next_ns = bench.now_ns + 50 * NSEC_PER_MSEC;
    live(2, bench.plan.next_ns - bench.now_ns);
    check_scopes(2, SCOPE_PROCESSOR);
    ck_assert_int_lt(policy_period(bench.policy, 0), 20 * NSEC_PER_MSEC);
}

/* Lives through turns: each thread sleeps a little at the end of each phase. */
static void live_through_turns(int turns, int64_t phase_ns)
{
    for (int i = 0; i < turns; i++) {
        const int64_t span_ns = bench.plan.next_ns - bench.now_ns;
        const int64_t before_ns = bench.now_ns;
        run_fairly(3, span_ns);
        const int64_t barriers = bench.now_ns / phase_ns - before_ns / phase_ns;
        for (int slot = 0; slot < 3; slot++) {
            bench.totals[slot].run_ns -= min_i64(barriers * 100 * NSEC_PER_USEC, span_ns / 4);
            bench.totals[slot].slices_count += barriers + span_ns / (4 * NSEC_PER_MSEC);
        }
        period(3);
    }
}

START_TEST(phases_that_turns_cannot_follow_are_left_to_the_kernel)
{
    begin(POLICY_JUGGLE, 2, 1, 3);
    live_through_turns(72, 300 * NSEC_PER_USEC);
    ck_assert_double_gt(period_choice_resting_share(policy_period_choice(bench.policy, 0)), 0.5);
    check_period(PERIOD_SHORT, 50 * NSEC_PER_MSEC, 100 * NSEC_PER_MSEC);
    check_scopes(3, SCOPE_DOMAIN);
    /* The rest goes on, with few interruptions. */
    const int64_t began_ns = bench.now_ns;
    live_through_turns(200, 300 * NSEC_PER_USEC);
    check_scopes(3, SCOPE_DOMAIN);
    ck_assert_int_gt(bench.now_ns - began_ns, 8 * NSEC_PER_SEC);
    /* It ends when phases grow longer. */
    live_through_turns(200, 30 * NSEC_PER_MSEC);
    check_scopes(3, SCOPE_PROCESSOR);
    ck_assert_int_lt(policy_period(bench.policy, 0), 20 * NSEC_PER_MSEC);
}

enum { WORK_SLOTS = 3 };

/* Lives through turns: threads work for the share `work` of the time, in moments of 10 us, and are
 * in the run queue for the share `in_line`. */
static void live_by_moments(int turns, double work, double in_line)
{
    for (int i = 0; i < turns; i++) {
        const int64_t span_ns = bench.plan.next_ns - bench.now_ns;
        bench.now_ns += span_ns;
        for (int slot = 0; slot < WORK_SLOTS; slot++) {
            struct sample *total = &bench.totals[slot];
            const int64_t run_ns = (int64_t)(work * (double)span_ns);
            total->run_ns += run_ns;
            total->wait_ns += (int64_t)(in_line * (double)span_ns);
            total->slices_count += run_ns / (10 * NSEC_PER_USEC);
            total->now_ns = bench.now_ns;
        }
        period(WORK_SLOTS);
    }
}

/* Beside other programs the phases of such threads look longer than they are. A thread that yields
 * is not woken. */
START_TEST(who_is_woken_all_the_time_is_left_to_the_kernel)
{
    begin(POLICY_JUGGLE, 2, 1, WORK_SLOTS);
    live_by_moments(30, 0.25, 0.25);
    check_period(PERIOD_SHORT, 50 * NSEC_PER_MSEC, 100 * NSEC_PER_MSEC);
    check_scopes(WORK_SLOTS, SCOPE_DOMAIN);
    begin(POLICY_JUGGLE, 2, 1, WORK_SLOTS);
    live_by_moments(30, 0.25, 0.75);
    check_scopes(WORK_SLOTS, SCOPE_PROCESSOR);
}

/* The program's word counts at once. Samples take long to show short phases beside other programs,
 * and never show them of threads that yield. */
START_TEST(who_says_that_phases_are_short_is_left_to_the_kernel)
{
    begin(POLICY_JUGGLE, 2, 1, WORK_SLOTS);
    live_by_moments(2, 0.25, 0.75);
    check_scopes(WORK_SLOTS, SCOPE_PROCESSOR);
    send(EVENT_SHORT_PHASES, 1);
    bench.plan.next_ns = bench.now_ns + NSEC_PER_MSEC;
    live_by_moments(1, 0.25, 0.75);
    check_period(PERIOD_SHORT, 50 * NSEC_PER_MSEC, 100 * NSEC_PER_MSEC);
    check_scopes(WORK_SLOTS, SCOPE_DOMAIN);
    send(EVENT_SHORT_PHASES, 0);
    bench.plan.next_ns = bench.now_ns + NSEC_PER_MSEC;
    live_by_moments(1, 0.25, 0.75);
    check_scopes(WORK_SLOTS, SCOPE_PROCESSOR);
}

/* Like a program that starts. */
START_TEST(who_is_woken_no_more_is_balanced_at_the_next_look)
{
    begin(POLICY_JUGGLE, 2, 1, WORK_SLOTS);
    live_by_moments(20, 0.25, 0.25);
    check_scopes(WORK_SLOTS, SCOPE_DOMAIN);
    live_by_moments(2, 0, 0); /* all threads sleep, which tells nothing */
    check_scopes(WORK_SLOTS, SCOPE_DOMAIN);
    live_through_turns(1, 30 * NSEC_PER_MSEC);
    check_scopes(WORK_SLOTS, SCOPE_PROCESSOR);
}

/* Other programs may have all processors for a while. */
START_TEST(turns_in_which_nobody_runs_do_not_tell_that_phases_are_long)
{
    begin(POLICY_JUGGLE, 2, 1, WORK_SLOTS);
    for (int i = 0; i < 20; i++) {
        live_by_moments(1, 0.25, 0.25);
        live_by_moments(1, 0, 0.5);
    }
    check_scopes(WORK_SLOTS, SCOPE_DOMAIN);
}

/* As in a forged recording. */
START_TEST(slices_that_go_far_back_are_no_moments)
{
    begin(POLICY_JUGGLE, 2, 1, WORK_SLOTS);
    for (int i = 0; i < 30; i++) {
        for (int slot = 0; slot < WORK_SLOTS; slot++)
            bench.totals[slot].slices_count = i % 2 ? 0 : INT64_C(1) << 46;
        live_by_moments(1, 0, 0.25);
    }
    check_scopes(WORK_SLOTS, SCOPE_PROCESSOR);
}

/* Ranks of MPI nap in long waits. */
START_TEST(naps_in_a_told_wait_are_no_moments_of_work)
{
    begin(POLICY_JUGGLE, 2, 1, WORK_SLOTS);
    for (int i = 0; i < 30; i++) {
        for (int slot = 1; slot < WORK_SLOTS; slot++)
            bench.totals[slot].told_since_ns = 1;
        live_by_moments(1, 0, 0.15);
        bench.totals[0].run_ns += 9 * (bench.plan.next_ns - bench.now_ns) / 10;
        for (int slot = 1; slot < WORK_SLOTS; slot++)
            bench.totals[slot].slices_count += 10;
    }
    check_scopes(WORK_SLOTS, SCOPE_PROCESSOR);
}

/* Three threads share two processors, and none ever sleeps. */
static void compute_for(int64_t time_ns)
{
    const int64_t until_ns = bench.now_ns + time_ns;

    while (bench.now_ns < until_ns) {
        run_fairly(3, bench.plan.next_ns - bench.now_ns);
        period(3);
    }
}

START_TEST(who_works_all_the_time_is_left_to_the_kernel_if_turns_bring_nothing)
{
    begin(POLICY_JUGGLE, 2, 1, 3);
    send(EVENT_SPINNING, SPINNING_NONE);
    bench.plan.next_ns = bench.now_ns + NSEC_PER_MSEC;
    compute_for(300 * NSEC_PER_MSEC);
    check_scopes(3, SCOPE_PROCESSOR);
    compute_for(400 * NSEC_PER_MSEC);
    check_scopes(3, SCOPE_DOMAIN);
    check_period(PERIOD_RESTING, 10 * NSEC_PER_MSEC, 100 * NSEC_PER_MSEC);
}

START_TEST(who_may_burn_the_time_in_waits_is_balanced)
{
    begin(POLICY_JUGGLE, 2, 1, 3);
    bench.plan.next_ns = bench.now_ns + NSEC_PER_MSEC;
    compute_for(2 * NSEC_PER_SEC);
    check_scopes(3, SCOPE_PROCESSOR);
}

SUITE("policy: rest")
