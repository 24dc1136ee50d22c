/* SPDX-License-Identifier: BSD-3-Clause */
/* How long periods are, and what a thread that spins changes. */
#include "tests/lib/policy_bench.h"

#include "libjuggle/ground/prng.h"

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

/* A turn reads the counters of all threads, and if there are many they have little to gain. */
START_TEST(automatic_period_is_longer_with_many_threads)
{
    begin_blind(60);
    ck_assert_int_ge(policy_period(bench.policy, 0), 15 * NSEC_PER_MSEC);
}

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

static void begin_to_compute(enum spinning spinning)
{
    begin(POLICY_JUGGLE, 2, 1, 3);
    tell_of_spinning(spinning);
}

/* A phase that has lasted for long need not be followed every few milliseconds, unless its end does
 * not show. */
START_TEST(turns_grow_rarer_the_longer_nobody_waits)
{
    begin_to_compute(SPINNING_NONE);
    const int64_t early_ns = period_after(100 * NSEC_PER_MSEC);
    ck_assert_int_gt(period_after(200 * NSEC_PER_MSEC), early_ns);
    tell_of_spinning(SPINNING_SEEN);
    ck_assert_int_lt(period_after(10 * NSEC_PER_MSEC), 3 * NSEC_PER_MSEC);
    begin_to_compute(SPINNING_UNKNOWN);
    ck_assert_int_lt(period_after(NSEC_PER_SEC), 3 * NSEC_PER_MSEC);
}

START_TEST(phases_that_show_are_followed)
{
    begin_to_compute(SPINNING_NONE);
    live_through_phases(3, 50 * NSEC_PER_MSEC, 20);
    const int64_t before_count = turns_taken(), before_ns = bench.now_ns;
    live_through_phases(3, 50 * NSEC_PER_MSEC, 40);
    ck_assert_int_lt(bench.now_ns - before_ns, (turns_taken() - before_count) * 7 * NSEC_PER_MSEC);
}

SUITE("policy: periods")
