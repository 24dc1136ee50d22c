/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/ground/prng.h"
#include "libjuggle/policy/slots.h"
#include "libjuggle/ground/sort.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { THREADS_MAX = 64 };

/* A policy with its buffers, and totals of threads that the tests advance by hand. */
static struct {
    struct machine machine;
    struct policy *policy;
    struct move moves[THREADS_MAX];
    struct plan plan;
    struct sample totals[THREADS_MAX];
    int64_t now_ns;
} bench;

static void bench_setup(enum policy_kind kind, int processors, int domains)
{
    const struct policy_options options = {.kind = kind, .threads_max = THREADS_MAX};

    free(bench.policy);
    memset(&bench, 0, sizeof(bench));
    bench.now_ns = NSEC_PER_SEC;
    ck_assert_int_eq(machine_uniform(processors, domains, &bench.machine), 0);
    const size_t footprint = (size_t)policy_footprint(&bench.machine, &options);
    void *memory = malloc(footprint);
    memset(memory, 0xa5, footprint); /* the policy may not rely on what the memory holds */
    bench.policy = policy_init(memory, &bench.machine, &options);
    bench.plan = (struct plan){.moves = bench.moves, .moves_max = THREADS_MAX};
}

/* Makes the policy anew after a test has changed the machine. */
static void renew(enum policy_kind kind)
{
    const struct policy_options options = {.kind = kind, .threads_max = THREADS_MAX};

    bench.policy = policy_init(bench.policy, &bench.machine, &options);
}

static void send(enum event_type type, int subject)
{
    const struct event event = {
        .type = type, .subject = subject, .domain = -1, .now_ns = bench.now_ns};

    policy_step(bench.policy, &event, &bench.plan);
}

static void arrive_hinted(int thread, int hint)
{
    bench.totals[thread] = (struct sample){.thread = thread, .now_ns = bench.now_ns};
    const struct event event = {.type = EVENT_THREAD_ARRIVED,
                                .subject = thread,
                                .domain = hint,
                                .now_ns = bench.now_ns,
                                .samples = &bench.totals[thread],
                                .samples_count = 1};

    policy_step(bench.policy, &event, &bench.plan);
}

static void start(int threads)
{
    for (int i = 0; i < threads; i++)
        arrive_hinted(i, -1);
    send(EVENT_START, -1);
}

static void begin(enum policy_kind kind, int processors, int domains, int threads)
{
    bench_setup(kind, processors, domains);
    start(threads);
}

static void period(int threads)
{
    const struct event event = {.type = EVENT_PERIOD,
                                .subject = -1,
                                .domain = 0,
                                .now_ns = bench.now_ns,
                                .samples = bench.totals,
                                .samples_count = threads};

    policy_step(bench.policy, &event, &bench.plan);
}

static struct thread_view view_of(int thread)
{
    struct thread_view view;

    ck_assert_int_eq(policy_thread(bench.policy, thread, &view), 0);
    return view;
}

static int home(int thread)
{
    return view_of(thread).processor;
}

static int held(int processor)
{
    int count = 0;

    for (int slot = -1; (slot = policy_thread_after(bench.policy, processor, slot)) >= 0;)
        count++;
    return count;
}

/* Each thread runs for its fair share of its processor during `span_ns`. */
static void run_fairly(int threads, int64_t span_ns)
{
    bench.now_ns += span_ns;
    for (int i = 0; i < threads; i++) {
        const int64_t share_ns = span_ns / held(home(i));
        bench.totals[i].run_ns += share_ns;
        bench.totals[i].wait_ns += span_ns - share_ns;
        bench.totals[i].now_ns = bench.now_ns;
    }
}

static void live(int threads, int64_t span_ns)
{
    run_fairly(threads, span_ns);
    period(threads);
}

static const struct move *move_of(int thread)
{
    for (int i = 0; i < bench.plan.moves_count; i++)
        if (bench.plan.moves[i].thread == thread)
            return &bench.plan.moves[i];
    return NULL;
}

START_TEST(first_distribution_is_cyclic_and_off_by_at_most_one)
{
    begin(POLICY_PAPER, 4, 2, 11);
    ck_assert_int_eq(bench.plan.moves_count, 11);
    for (int p = 0; p < 4; p++)
        ck_assert(held(p) == 2 || held(p) == 3);
    const int first_domain = held(0) + held(1);
    ck_assert(first_domain == 5 || first_domain == 6);
}
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

START_TEST(all_threads_progress_alike_in_the_long_run)
{
    begin(POLICY_PAPER, 2, 1, 3);
    for (int round = 0; round < 300; round++)
        live(3, 10 * NSEC_PER_MSEC);
    for (int i = 0; i < 3; i++)
        ck_assert_int_le(llabs(view_of(i).progress_ns - 2000 * NSEC_PER_MSEC), 10 * NSEC_PER_MSEC);
}
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

START_TEST(none_watches_and_moves_nobody)
{
    begin(POLICY_NONE, 2, 1, 3);
    ck_assert_int_eq(bench.plan.moves_count, 0);
    live(3, 100 * NSEC_PER_MSEC);
    ck_assert_int_eq(bench.plan.moves_count, 0);
    ck_assert_int_gt(bench.plan.next_ns, bench.now_ns);
}
END_TEST

START_TEST(jitter_spreads_the_period_within_its_bounds)
{
    struct policy_options options = {
        .kind = POLICY_PAPER, .threads_max = 4, .period_ns = 10 * NSEC_PER_MSEC, .jitter = 0.1};
    int64_t shortest_ns = INT64_MAX, longest_ns = 0;

    bench_setup(POLICY_PAPER, 2, 1);
    free(bench.policy);
    bench.policy = policy_init(malloc((size_t)policy_footprint(&bench.machine, &options)),
                               &bench.machine, &options);
    start(2);
    for (int i = 0; i < 1000; i++) {
        const int64_t due_ns = bench.plan.next_ns;
        const int64_t ahead_ns = policy_period_ahead(bench.policy, 0);
        bench.now_ns = due_ns;
        period(0);
        ck_assert_int_eq(bench.plan.next_ns - due_ns, ahead_ns);
        shortest_ns = min_i64(shortest_ns, bench.plan.next_ns - due_ns);
        longest_ns = max_i64(longest_ns, bench.plan.next_ns - due_ns);
    }
    ck_assert_int_ge(shortest_ns, 9 * NSEC_PER_MSEC);
    ck_assert_int_lt(shortest_ns, 9100 * NSEC_PER_USEC);
    ck_assert_int_le(longest_ns, 11 * NSEC_PER_MSEC);
    ck_assert_int_gt(longest_ns, 10900 * NSEC_PER_USEC);
}
END_TEST

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
END_TEST

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
END_TEST

/* Lives through phases: thread 0 is found asleep at the end of each one, and runs again in the next
 * period. */
static void live_through_phases(int threads, int64_t phase_ns, int phases)
{
    int64_t barrier_ns = bench.now_ns + phase_ns;

    for (int phase = 0; phase < phases;) {
        run_fairly(threads, bench.plan.next_ns - bench.now_ns);
        const bool asleep = bench.now_ns >= barrier_ns;
        bench.totals[0].state = asleep ? SAMPLE_SLEEPING : SAMPLE_RUNNABLE;
        period(threads);
        if (!asleep)
            continue;
        barrier_ns += phase_ns;
        phase++;
    }
}

static void check_period(enum period_reason reason, int64_t at_least_ns, int64_t at_most_ns)
{
    const int64_t period_ns = policy_period(bench.policy, 0);

    ck_assert_int_ge(period_ns, at_least_ns);
    ck_assert_int_le(period_ns, at_most_ns);
    ck_assert_int_gt(policy_period_choice(bench.policy, 0)->turns_count[reason], 0);
}

/* Begins with one period in which no phase has shown. */
static void begin_blind(int threads)
{
    begin(POLICY_JUGGLE, 2, 1, threads);
    live(threads, bench.plan.next_ns - bench.now_ns);
}

START_TEST(automatic_period_suits_the_phases_that_show)
{
    begin_blind(3);
    check_period(PERIOD_BLIND, 1 * NSEC_PER_MSEC, 5 * NSEC_PER_MSEC);
    ck_assert_int_eq(policy_period_choice(bench.policy, 0)->phase_ns, 0);

    live_through_phases(3, 50 * NSEC_PER_MSEC, 20);
    check_period(PERIOD_LEARNED, 1 * NSEC_PER_MSEC, 17 * NSEC_PER_MSEC);
    live_through_phases(3, 500 * NSEC_PER_MSEC, 40);
    check_period(PERIOD_LEARNED, 1 * NSEC_PER_MSEC, 20 * NSEC_PER_MSEC);
    const int64_t learned_ns = policy_period_choice(bench.policy, 0)->phase_ns;
    ck_assert_int_gt(learned_ns, 450 * NSEC_PER_MSEC);
    ck_assert_int_lt(learned_ns, 550 * NSEC_PER_MSEC);
}
END_TEST

/* A turn reads the counters of all threads, and if there are many they have little to gain. */
START_TEST(automatic_period_is_longer_with_many_threads)
{
    begin_blind(60);
    ck_assert_int_ge(policy_period(bench.policy, 0), 15 * NSEC_PER_MSEC);
}
END_TEST

static void check_scopes(int threads, enum move_scope scope)
{
    for (int i = 0; i < threads; i++) {

        ck_assert_int_eq(view_of(i).scope, scope);
    }
}

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
END_TEST

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
END_TEST

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
END_TEST

/* Each thread sleeps at random, as those of the encoder x264 that hand frames on. In some of 16
 * turns one of them has many short slices, because it yields or is woken all the time. */
static bool is_compared(int yields)
{
    struct prng prng;
    bool opened = false;

    prng_seed(&prng, 1);
    begin(POLICY_JUGGLE, 2, 1, 3);
    for (int turn = 0; turn < 400; turn++) {
        const int64_t span_ns = bench.plan.next_ns - bench.now_ns;
        bench.now_ns += span_ns;
        for (int slot = 0; slot < 3; slot++) {
            struct sample *total = &bench.totals[slot];
            const bool yields_now = slot == 2 && turn % 16 < yields;
            total->run_ns += yields_now ? span_ns / 50 : span_ns / 2;
            total->wait_ns += yields_now ? 0 : span_ns / 4;
            total->slices_count += yields_now ? 20 : 1;
            total->state = prng_below(&prng, 8) ? SAMPLE_RUNNABLE : SAMPLE_SLEEPING;
            total->now_ns = bench.now_ns;
        }
        period(3);
        opened |= bench.policy->domains[0].juggle.experiment.stage == STAGE_OPEN;
    }
    return opened;
}

START_TEST(work_is_compared_unless_threads_yield_more_often_than_they_sleep)
{
    ck_assert(is_compared(0));
    ck_assert(is_compared(2));
    ck_assert(!is_compared(14));
}
END_TEST

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
END_TEST

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
END_TEST

/* A thread moves from a slower processor to one that no thread uses. */
START_TEST(a_faster_processor_is_not_left_empty)
{
    begin(POLICY_JUGGLE, 3, 1, 2);
    bench.policy->machine.processors[home(0)].rate = RATE_ONE / 2;
    distribution_order(bench.policy);
    live(2, 10 * NSEC_PER_MSEC);
    ck_assert_int_eq(home(0), 2);
}
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

/* Two threads with a processor each, one of them beside another program. They only compute, as far
 * as samples show. Returns the number of moves. */
static int moves_beside_another(int turns)
{
    int moves_count = 0;

    for (int i = 0; i < turns; i++) {
        const int64_t span_ns = bench.plan.next_ns - bench.now_ns;
        bench.now_ns += span_ns;
        for (int slot = 0; slot < 2; slot++) {
            const bool alone = home(slot) == 0;
            bench.totals[slot].run_ns += alone ? span_ns : span_ns / 2;
            bench.totals[slot].wait_ns += alone ? 0 : span_ns - span_ns / 2;
            bench.totals[slot].now_ns = bench.now_ns;
        }
        period(2);
        moves_count += bench.plan.moves_count;
    }
    return moves_count;
}

START_TEST(who_spins_at_barriers_that_do_not_show_stays_in_line)
{
    begin(POLICY_JUGGLE, 2, 1, 2);
    moves_beside_another(20);
    ck_assert_int_gt(moves_beside_another(100), 0);
    send(EVENT_SPINNING, SPINNING_SEEN);
    bench.plan.next_ns = bench.now_ns + 10 * NSEC_PER_MSEC;
    moves_beside_another(1);
    ck_assert_int_eq(moves_beside_another(100), 0);
    check_period(PERIOD_SPUN, 5 * NSEC_PER_MSEC, 10 * NSEC_PER_MSEC);
    check_scopes(2, SCOPE_PROCESSOR);
    send(EVENT_SPINNING, SPINNING_UNKNOWN);
    bench.plan.next_ns = bench.now_ns + 10 * NSEC_PER_MSEC;
    ck_assert_int_gt(moves_beside_another(100), 0);
}
END_TEST

START_TEST(who_does_more_with_open_masks_has_them_unless_a_processor_is_shared)
{
    begin(POLICY_JUGGLE, 2, 1, 2);
    moves_beside_another(20);
    send(EVENT_SPINNING, SPINNING_OPEN);
    bench.plan.next_ns = bench.now_ns + 10 * NSEC_PER_MSEC;
    moves_beside_another(10);
    check_period(PERIOD_RESTING, 0, NSEC_PER_SEC);
    check_scopes(2, SCOPE_DOMAIN);
    send(EVENT_SPINNING, SPINNING_UNKNOWN);
    bench.plan.next_ns = bench.now_ns + 10 * NSEC_PER_MSEC;
    moves_beside_another(10);
    check_scopes(2, SCOPE_PROCESSOR);
    begin(POLICY_JUGGLE, 2, 1, 3);
    send(EVENT_SPINNING, SPINNING_OPEN);
    bench.plan.next_ns = bench.now_ns + NSEC_PER_MSEC;
    for (int i = 0; i < 20; i++)
        live(3, bench.plan.next_ns - bench.now_ns);
    check_scopes(3, SCOPE_PROCESSOR);
}
END_TEST

/* Three threads that only compute, as far as samples show. Returns the period after that time. */
static int64_t period_after(int64_t time_ns)
{
    const int64_t until_ns = bench.now_ns + time_ns;

    while (bench.now_ns < until_ns) {
        live(3, bench.plan.next_ns - bench.now_ns);
    }
    return policy_period(bench.policy, 0);
}

static void tell_of_spinning(enum spinning spinning)
{
    send(EVENT_SPINNING, spinning);
    bench.plan.next_ns = bench.now_ns + NSEC_PER_MSEC;
}

static int64_t turns_taken(void)
{
    return policy_period_choice(bench.policy, 0)->turns_count[PERIOD_LEARNED];
}

/* A phase that has lasted for a second need not be followed every few milliseconds, unless its end
 * does not show. */
START_TEST(turns_grow_rarer_the_longer_nobody_waits)
{
    begin(POLICY_JUGGLE, 2, 1, 3);
    tell_of_spinning(SPINNING_NONE);
    const int64_t early_ns = period_after(100 * NSEC_PER_MSEC);
    ck_assert_int_gt(period_after(3 * NSEC_PER_SEC), early_ns);
    tell_of_spinning(SPINNING_UNKNOWN);
    ck_assert_int_lt(period_after(NSEC_PER_SEC), 3 * NSEC_PER_MSEC);
    tell_of_spinning(SPINNING_NONE);
    ck_assert_int_gt(period_after(10 * NSEC_PER_MSEC), 8 * NSEC_PER_MSEC);
    tell_of_spinning(SPINNING_SEEN);
    ck_assert_int_lt(period_after(10 * NSEC_PER_MSEC), 3 * NSEC_PER_MSEC);
    /* Phases that show are followed. */
    tell_of_spinning(SPINNING_NONE);
    live_through_phases(3, 50 * NSEC_PER_MSEC, 20);
    const int64_t before_count = turns_taken(), before_ns = bench.now_ns;
    live_through_phases(3, 50 * NSEC_PER_MSEC, 40);
    ck_assert_int_lt(bench.now_ns - before_ns, (turns_taken() - before_count) * 7 * NSEC_PER_MSEC);
}
END_TEST

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
END_TEST

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
END_TEST

START_TEST(kinds_have_names)
{
    enum policy_kind kind;

    for (int i = 0; i < POLICY_KINDS_COUNT; i++) {
        ck_assert_int_eq(policy_kind_parse(policy_kind_name((enum policy_kind)i), &kind), 0);
        ck_assert_int_eq(kind, i);
    }
    ck_assert_int_eq(policy_kind_parse("best", &kind), -EINVAL);
}
END_TEST

START_TEST(sort_orders_by_key_then_index)
{
    struct sort_item items[] = {{3, 0}, {1, 3}, {2, 2}, {1, 1}, {-1, 4}, {3, 5}, {0, 6}};
    const int expected[] = {4, 6, 1, 3, 2, 0, 5};

    sort_items(items, ARRAY_COUNT(items));
    for (size_t i = 0; i < ARRAY_COUNT(items); i++)
        ck_assert_int_eq(items[i].index, expected[i]);
    sort_items(items, 0);
}
END_TEST

SUITE("policy")
