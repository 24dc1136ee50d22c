/* SPDX-License-Identifier: BSD-3-Clause */
/* Which thread is on which processor: first distribution, exchanges, exits, lost processors, moves
 * that fail. */
#include "tests/lib/policy_bench.h"

#include "libjuggle/ground/sort.h"

#include <errno.h>

START_TEST(first_distribution_is_cyclic_and_off_by_at_most_one)
{
    begin(POLICY_PAPER, 4, 2, 11);
    ck_assert_int_eq(bench.plan.moves_count, 11);
    for (int p = 0; p < 4; p++)
        ck_assert(held(p) == 2 || held(p) == 3);
    const int first_domain = held(0) + held(1);
    ck_assert(first_domain == 5 || first_domain == 6);
}

START_TEST(threads_go_to_their_memory_while_counts_allow)
{
    bench_setup(POLICY_PAPER, 4, 2);
    for (int i = 0; i < 6; i++)
        arrive_hinted(i, 1);
    send(EVENT_START, -1);
    for (int i = 0; i < 3; i++)
        ck_assert_int_ge(home(i), 2);
    for (int i = 3; i < 6; i++)
        ck_assert_int_lt(home(i), 2);
}

START_TEST(cores_are_filled_before_their_siblings)
{
    bench_setup(POLICY_STATIC, 4, 1);
    for (int i = 0; i < 4; i++)
        bench.machine.processors[i].core = i / 2;
    renew(POLICY_STATIC);
    start(2);
    ck_assert_int_eq(home(0), 0);
    ck_assert_int_eq(home(1), 2);
}

START_TEST(behind_thread_on_slow_processor_swaps_with_ahead_thread_on_fast_one)
{
    begin(POLICY_PAPER, 2, 1, 3);
    ck_assert_int_eq(held(0), 2);
    live(3, 10 * NSEC_PER_MSEC);
    ck_assert_int_eq(bench.plan.moves_count, 2);
    ck_assert_int_eq(move_of(1)->to, 0);
    ck_assert_int_eq(held(0), 2);
    ck_assert_int_eq(bench.plan.next_ns, bench.now_ns + PERIOD_DEFAULT_NS);
}

START_TEST(all_threads_progress_alike_in_the_long_run)
{
    begin(POLICY_PAPER, 2, 1, 3);
    for (int round = 0; round < 300; round++)
        live(3, 10 * NSEC_PER_MSEC);
    for (int i = 0; i < 3; i++)
        ck_assert_int_le(llabs(view_of(i).progress_ns - 2000 * NSEC_PER_MSEC), 10 * NSEC_PER_MSEC);
}

START_TEST(blocked_thread_takes_no_fast_slot)
{
    begin(POLICY_PAPER, 2, 1, 3);
    run_fairly(3, 10 * NSEC_PER_MSEC);
    /* Then thread 0 sleeps on the slow processor: by its run time it is far behind, but it waits
     * for the others. */
    bench.now_ns += 100 * NSEC_PER_MSEC;
    bench.totals[0].now_ns = bench.now_ns;
    bench.totals[0].state = SAMPLE_SLEEPING;
    for (int i = 1; i < 3; i++) {
        bench.totals[i].run_ns += 100 * NSEC_PER_MSEC;
        bench.totals[i].now_ns = bench.now_ns;
    }
    period(3);
    ck_assert_int_eq(view_of(0).state, THREAD_BLOCKED);
    ck_assert(!bench.policy->threads[0].behind);
    ck_assert_int_eq(view_of(0).blocked_ns, 100 * NSEC_PER_MSEC);
    ck_assert_ptr_null(move_of(0));
}

/* Like the thread of a pool that waits for the others. */
START_TEST(thread_that_always_sleeps_does_not_hold_the_mean_down)
{
    static const int64_t run_ns[] = {0, 5 * NSEC_PER_MSEC, 10 * NSEC_PER_MSEC, 5 * NSEC_PER_MSEC};

    begin(POLICY_PAPER, 2, 1, 4);
    bench.now_ns += 10 * NSEC_PER_MSEC;
    for (int i = 0; i < 4; i++) {
        bench.totals[i].now_ns = bench.now_ns;
        bench.totals[i].run_ns = run_ns[i];
        bench.totals[i].wait_ns = i ? 10 * NSEC_PER_MSEC - run_ns[i] : 0;
        bench.totals[i].state = i ? SAMPLE_RUNNABLE : SAMPLE_SLEEPING;
    }
    period(4);
    ck_assert(move_of(1) || move_of(3));
}

START_TEST(wait_that_goes_on_is_not_blocking)
{
    begin(POLICY_PAPER, 2, 1, 3);
    bench.now_ns += 4 * NSEC_PER_MSEC;
    for (int i = 0; i < 3; i++)
        bench.totals[i].now_ns = bench.now_ns;
    bench.totals[0].state = SAMPLE_RUNNABLE;
    bench.totals[1].run_ns += 4 * NSEC_PER_MSEC;
    period(3);
    ck_assert_int_eq(view_of(0).state, THREAD_RUNNING);
    ck_assert_int_eq(view_of(2).state, THREAD_BLOCKED);
}

START_TEST(spinning_yielder_is_not_behind)
{
    begin(POLICY_PAPER, 2, 1, 3);
    bench.now_ns += 10 * NSEC_PER_MSEC;
    for (int i = 0; i < 3; i++) {
        bench.totals[i].now_ns = bench.now_ns;
        bench.totals[i].run_ns += i ? 9900 * NSEC_PER_USEC : 50 * NSEC_PER_USEC;
    }
    bench.totals[0].wait_ns += 9900 * NSEC_PER_USEC;
    bench.totals[0].slices_count += 20;
    period(3);
    ck_assert_int_eq(view_of(0).state, THREAD_YIELDING);
    ck_assert(!bench.policy->threads[0].behind);
}

/* Each core has one processor of each domain. */
START_TEST(a_domain_decides_whatever_is_done_beside_it)
{
    bench_setup(POLICY_JUGGLE, 4, 2);
    bench.machine.smt_rate = RATE_ONE / 2;
    for (int i = 0; i < 4; i++)
        bench.machine.processors[i].core = i % 2;
    renew(POLICY_JUGGLE);
    start(6);
    ck_assert_int_eq(slots_power(bench.policy, 0, true), RATE_ONE);
    live(6, 10 * NSEC_PER_MSEC);
    ck_assert_int_eq(bench.policy->processors[0].juggle.rate, RATE_ONE);
}

START_TEST(exit_leaves_no_processor_two_above_another)
{
    begin(POLICY_STATIC, 2, 1, 4);
    send(EVENT_THREAD_EXITED, 1);
    ck_assert_int_eq(bench.plan.moves_count, 0);
    send(EVENT_THREAD_EXITED, 3);
    ck_assert_int_eq(bench.plan.moves_count, 1);
    ck_assert_int_eq(held(0), 1);
    ck_assert_int_eq(held(1), 1);
}

/* Eight cores with two siblings each: a thread that shares a core moves to a core that no thread
 * uses any more. */
START_TEST(exit_leaves_no_core_idle_beside_a_shared_one)
{
    enum { CORES = 8 };

    bench_setup(POLICY_JUGGLE, 2 * CORES, 1);
    bench.machine.smt_rate = RATE_ONE * 62 / 100;
    for (int i = 0; i < 2 * CORES; i++)
        bench.machine.processors[i].core = i / 2;
    renew(POLICY_JUGGLE);
    start(CORES + 1);
    send(EVENT_THREAD_EXITED, CORES - 1);
    for (int core = 0; core < CORES; core++)
        ck_assert_int_eq(held(2 * core) + held(2 * core + 1), 1);
}

/* The processors hold 3, 2 and 1 threads. The slow one still is done last, with the only thread
 * that it must have. */
START_TEST(exit_is_made_good_beside_a_slow_processor)
{
    bench_setup(POLICY_JUGGLE, 3, 1);
    bench.machine.processors[2].rate = RATE_ONE * 3 / 10;
    renew(POLICY_JUGGLE);
    start(6);
    ck_assert_int_eq(held(0), 3);
    ck_assert_int_eq(held(1), 2);
    send(EVENT_THREAD_EXITED, policy_thread_after(bench.policy, 1, -1));
    ck_assert_int_eq(held(0), 2);
    ck_assert_int_eq(held(1), 2);
}

START_TEST(lost_processor_is_left_and_found_again)
{
    begin(POLICY_PAPER, 4, 2, 6);
    send(EVENT_PROCESSOR_LOST, 1);
    ck_assert_int_eq(held(1), 0);
    ck_assert_int_eq(held(0), 3);
    send(EVENT_PROCESSOR_LOST, 0);
    ck_assert_int_eq(held(2) + held(3), 6);
    send(EVENT_PROCESSOR_LOST, 2);
    send(EVENT_PROCESSOR_LOST, 3);
    ck_assert_int_eq(bench.plan.moves_count, 0);
    arrive_hinted(6, -1);
    ck_assert_int_eq(bench.plan.moves_count, 0);
    send(EVENT_PROCESSOR_FOUND, 2);
    ck_assert_int_eq(held(2), 7);
}

/* Lets all moves of the plan fail. */
static void fail_all(void)
{
    const int count = bench.plan.moves_count;
    int threads[THREADS_MAX];

    for (int i = 0; i < count; i++)
        threads[i] = bench.plan.moves[i].thread;
    for (int i = 0; i < count; i++)
        send(EVENT_MOVE_FAILED, threads[i]);
}

/* As if a cpuset lost several processors at once: a thread that is sent to the next one cannot go
 * there. */
START_TEST(who_could_not_leave_a_lost_processor_does_so_later)
{
    int tries_count = 0;

    begin(POLICY_PAPER, 4, 1, 8);
    send(EVENT_PROCESSOR_LOST, 2);
    fail_all();
    ck_assert_int_eq(held(2), 2);
    send(EVENT_PROCESSOR_LOST, 3);
    ck_assert_int_eq(held(2) + held(3), 0);
    send(EVENT_PROCESSOR_LOST, 1);
    fail_all();
    const int left_behind = policy_thread_after(bench.policy, 1, -1);
    for (int round = 0; round < 70; round++) {
        live(8, 10 * NSEC_PER_MSEC);
        tries_count += move_of(left_behind) != NULL;
        if (tries_count == 1)
            fail_all();
    }
    ck_assert_int_eq(tries_count, 2);
    ck_assert_int_eq(held(0), 8);
}

/* Dozens of moves all choose by the same rule: threads that are awake first, those with the least
 * progress first. */
START_TEST(many_threads_are_moved_in_one_order)
{
    enum { THREADS = 60, MOVES = THREADS / 2, ASLEEP = 7 };

    begin(POLICY_STATIC, 2, 1, THREADS);
    bench.now_ns += 100 * NSEC_PER_MSEC;
    for (int i = 0; i < THREADS; i++) {
        bench.totals[i].run_ns = (1 + 37 * i % THREADS) * NSEC_PER_MSEC / 2;
        bench.totals[i].now_ns = bench.now_ns;
        bench.totals[i].state = i % ASLEEP ? SAMPLE_RUNNABLE : SAMPLE_SLEEPING;
    }
    period(THREADS);
    send(EVENT_PROCESSOR_LOST, 1);
    send(EVENT_PROCESSOR_FOUND, 1);
    ck_assert_int_eq(bench.plan.moves_count, MOVES);
    for (int i = 0; i < MOVES; i++) {
        const struct sample *sample = &bench.totals[bench.plan.moves[i].thread];
        ck_assert_int_eq(sample->state, SAMPLE_RUNNABLE);
        ck_assert(!i || sample->run_ns > bench.totals[bench.plan.moves[i - 1].thread].run_ns);
        ck_assert_int_eq(bench.plan.moves[i].to, 1);
    }
    ck_assert_int_eq(held(0), MOVES);
}

START_TEST(failed_half_of_a_swap_is_made_good)
{
    begin(POLICY_PAPER, 2, 1, 3);
    live(3, 10 * NSEC_PER_MSEC);
    ck_assert_ptr_nonnull(move_of(1));
    send(EVENT_MOVE_FAILED, 1);
    ck_assert_int_eq(home(1), 1);
    ck_assert_int_eq(bench.plan.moves_count, 0);
    live(3, 10 * NSEC_PER_MSEC);
    ck_assert_int_le(abs(held(0) - held(1)), 1);
}

START_TEST(thread_that_could_not_move_is_tried_again_later)
{
    bool moved = false;

    begin(POLICY_PAPER, 2, 1, 3);
    live(3, 10 * NSEC_PER_MSEC);
    ck_assert_ptr_nonnull(move_of(1));
    send(EVENT_MOVE_FAILED, 1);
    for (int round = 0; round < 10; round++) {
        live(3, 10 * NSEC_PER_MSEC);
        ck_assert_ptr_null(move_of(1));
    }
    for (int round = 0; round < 100; round++) {
        live(3, 10 * NSEC_PER_MSEC);
        moved |= move_of(1) != NULL;
    }
    ck_assert(moved);
}

START_TEST(first_placement_that_failed_is_tried_again)
{
    int tries_count = 0;

    begin(POLICY_PAPER, 2, 1, 2);
    send(EVENT_MOVE_FAILED, 1);
    ck_assert_int_eq(home(1), 1);
    for (int round = 0; round < 5; round++) {
        live(2, 10 * NSEC_PER_MSEC);
        if (!move_of(1))
            continue;
        tries_count++;
        ck_assert_int_eq(move_of(1)->from, -1);
        ck_assert_int_eq(move_of(1)->to, 1);
    }
    ck_assert_int_eq(tries_count, 1);
}

START_TEST(none_watches_and_moves_nobody)
{
    begin(POLICY_NONE, 2, 1, 3);
    ck_assert_int_eq(bench.plan.moves_count, 0);
    live(3, 100 * NSEC_PER_MSEC);
    ck_assert_int_eq(bench.plan.moves_count, 0);
    ck_assert_int_gt(bench.plan.next_ns, bench.now_ns);
}

/* The work before the missing sample is no longer in any stint. */
START_TEST(who_reports_again_has_done_nothing_yet)
{
    begin(POLICY_JUGGLE, 2, 1, 3);
    for (int round = 0; round < 8; round++) {
        run_fairly(3, 2 * NSEC_PER_MSEC);
        for (int i = 0; i < 3; i++)
            bench.totals[i].work_ns = 1 + bench.totals[i].run_ns;
        period(round == 7 ? 2 : 3);
    }
    const struct fit_thread *fit = &bench.policy->threads[1].fit;
    ck_assert(fit->stints.count > 0 && fit->done_ns > 0);
    fit = &bench.policy->threads[2].fit;
    ck_assert(fit->stints.count == 0 && fit->done_ns <= 0);
}

START_TEST(latecomer_gets_no_more_than_the_others)
{
    begin(POLICY_JUGGLE, 2, 1, 4);
    for (int i = 0; i < 100; i++)
        live(4, 10 * NSEC_PER_MSEC);
    arrive_hinted(4, -1);
    const int64_t before_ns = bench.totals[0].run_ns;
    for (int i = 0; i < 100; i++)
        live(5, 10 * NSEC_PER_MSEC);
    ck_assert_int_lt(bench.totals[4].run_ns, (bench.totals[0].run_ns - before_ns) * 11 / 10);
}

/* A thread moves from a slower processor to one that no thread uses. */
START_TEST(a_faster_processor_is_not_left_empty)
{
    begin(POLICY_JUGGLE, 3, 1, 2);
    bench.policy->machine.processors[home(0)].rate = RATE_ONE / 2;
    distribution_order(bench.policy);
    live(2, 10 * NSEC_PER_MSEC);
    ck_assert_int_eq(home(0), 2);
}

START_TEST(bad_options_have_no_footprint)
{
    struct machine machine;
    struct policy_options options = {.threads_max = 4};

    ck_assert_int_eq(machine_uniform(0, 1, &machine), -EINVAL);
    ck_assert_int_eq(machine_uniform(2, 3, &machine), -EINVAL);
    ck_assert_int_eq(machine_uniform(2, 1, &machine), 0);
    ck_assert_int_gt(policy_footprint(&machine, &options), 0);
    options.threads_max = 0;
    ck_assert_int_eq(policy_footprint(&machine, &options), -EINVAL);
    options.threads_max = 4;
    options.jitter = 1.5;
    ck_assert_int_eq(policy_footprint(&machine, &options), -EINVAL);
}

START_TEST(unknown_subjects_are_ignored)
{
    begin(POLICY_PAPER, 2, 1, 3);
    send(EVENT_THREAD_EXITED, 17);
    send(EVENT_THREAD_EXITED, -5);
    send(EVENT_MOVE_FAILED, THREADS_MAX);
    send(EVENT_PROCESSOR_LOST, 2);
    ck_assert_int_eq(bench.plan.moves_count, 0);
    ck_assert_int_eq(held(0) + held(1), 3);
}

START_TEST(kinds_have_names)
{
    enum policy_kind kind;

    for (int i = 0; i < POLICY_KINDS_COUNT; i++) {
        ck_assert_int_eq(policy_kind_parse(policy_kind_name((enum policy_kind)i), &kind), 0);
        ck_assert_int_eq(kind, i);
    }
    ck_assert_int_eq(policy_kind_parse("best", &kind), -EINVAL);
}

START_TEST(sort_orders_by_key_then_index)
{
    struct sort_item items[] = {{3, 0}, {1, 3}, {2, 2}, {1, 1}, {-1, 4}, {3, 5}, {0, 6}};
    const int expected[] = {4, 6, 1, 3, 2, 0, 5};

    sort_items(items, ARRAY_COUNT(items));
    for (size_t i = 0; i < ARRAY_COUNT(items); i++)
        ck_assert_int_eq(items[i].index, expected[i]);
    sort_items(items, 0);
}

SUITE("policy")
