/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/engine/engine.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

enum { SLOTS_MAX = 16, SHARERS = 10, SHARED_TURNS = 1000 };

/* A world of totals: a test advances them by hand and decides which calls fail. */
static struct {
    _Atomic int64_t now_ns;
    struct sample totals[SLOTS_MAX];
    int homes[SLOTS_MAX];
    int sample_error[SLOTS_MAX];
    int place_error[SLOTS_MAX];
    int records_count;
} toy;

static struct engine *engine;

struct sharer {
    int domain;
    pthread_t thread;
};

static int64_t toy_now(void *unused)
{
    (void)unused;
    return toy.now_ns;
}

static int toy_sample(void *unused, int thread, struct sample *sample)
{
    (void)unused;
    if (toy.sample_error[thread])
        return toy.sample_error[thread];
    *sample = toy.totals[thread];
    sample->now_ns = toy.now_ns;
    return 0;
}

static int toy_place(void *unused, int thread, const struct move *move)
{
    (void)unused;
    if (toy.place_error[thread])
        return toy.place_error[thread];
    toy.homes[thread] = move->to;
    return 0;
}

static void toy_record(void *unused, const struct event *event, const struct plan *plan)
{
    (void)unused, (void)event, (void)plan;
    toy.records_count++;
}

static void begin(enum policy_kind kind, int processors)
{
    const struct policy_options options = {.kind = kind, .threads_max = SLOTS_MAX};
    const struct ports ports = {NULL, toy_now, toy_sample, toy_place};
    const struct engine_recorder recorder = {toy_record, NULL};
    struct machine machine;

    memset(&toy, 0, sizeof(toy));
    toy.now_ns = NSEC_PER_SEC;
    ck_assert_int_eq(machine_uniform(processors, 1, &machine), 0);
    ck_assert_int_eq(engine_create(&machine, &options, &ports, &recorder, &engine), 0);
}

static void add_threads(int count)
{
    for (int i = 0; i < count; i++) {
        int slot;
        ck_assert_int_eq(engine_thread_reserve(engine, &slot), 0);
        ck_assert_int_eq(slot, i);
        engine_thread_arrived(engine, slot, -1);
    }
}

static void run(int threads, int64_t span_ns)
{
    int held[SLOTS_MAX] = {0};

    for (int i = 0; i < threads; i++)
        held[toy.homes[i]]++;
    toy.now_ns += span_ns;
    for (int i = 0; i < threads; i++) {
        toy.totals[i].run_ns += span_ns / held[toy.homes[i]];
        toy.totals[i].wait_ns += span_ns - span_ns / held[toy.homes[i]];
    }
}

/* Three threads that have started their first period. */
static void run_three(void)
{
    add_threads(3);
    engine_start(engine);
    run(3, 10 * NSEC_PER_MSEC);
}

START_TEST(turns_share_two_processors_among_three_threads)
{
    struct engine_statistics statistics;
    struct thread_view view;

    begin(POLICY_PAPER, 2);
    add_threads(3);
    engine_start(engine);
    for (int round = 0; round < 300; round++) {
        const int64_t due_ns = engine_next_ns(engine, 0);
        run(3, due_ns - toy.now_ns);
        engine_turn(engine, 0);
    }
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(engine_thread(engine, i, &view), 0);
        ck_assert_int_le(llabs(view.progress_ns - 2000 * NSEC_PER_MSEC), 10 * NSEC_PER_MSEC);
        ck_assert_int_eq(view.processor, toy.homes[i]);
    }
    engine_statistics(engine, &statistics);
    ck_assert_int_eq(statistics.rounds_count, 300);
    ck_assert_int_gt(statistics.migrations_count, 300);
    ck_assert_int_eq(toy.records_count, 3 + 1 + 300);
    engine_destroy(engine);
}

/* Checks that the world has the threads where the policy has them. */
static void expect_at_home(int threads_count)
{
    struct thread_view view;

    for (int i = 0; i < threads_count; i++) {
        ck_assert_int_eq(engine_thread(engine, i, &view), 0);
        ck_assert_int_eq(view.processor, toy.homes[i]);
    }
}

/* Each look at the clock advances the time. */
START_TEST(placing_in_pieces_ends_where_placing_at_once_does)
{
    int pieces_count = 1;

    begin(POLICY_PAPER, 2);
    add_threads(3);
    while (!engine_start_until(engine, toy.now_ns)) {
        ck_assert_int_eq(engine_next_ns(engine, 0), INT64_MAX);
        ck_assert_int_lt(++pieces_count, 4);
    }
    ck_assert_int_eq(pieces_count, 3);
    ck_assert_int_lt(engine_next_ns(engine, 0), INT64_MAX);
    const int64_t due_ns = engine_next_ns(engine, 0);
    ck_assert(engine_start_until(engine, toy.now_ns));
    ck_assert_int_eq(engine_next_ns(engine, 0), due_ns);
    expect_at_home(3);
    engine_destroy(engine);
}

START_TEST(who_comes_or_goes_while_others_are_placed_finds_them_placed)
{
    begin(POLICY_PAPER, 2);
    add_threads(4);
    ck_assert(!engine_start_until(engine, toy.now_ns));
    engine_thread_exited(engine, 3);
    ck_assert_int_lt(engine_next_ns(engine, 0), INT64_MAX);
    ck_assert(engine_start_until(engine, toy.now_ns));
    ck_assert_int_lt(engine_next_ns(engine, 0), INT64_MAX);
    expect_at_home(3);
    engine_destroy(engine);
}

START_TEST(failed_moves_are_fed_back_and_repaired)
{
    struct engine_statistics statistics;
    struct thread_view view;

    begin(POLICY_PAPER, 2);
    run_three();
    toy.place_error[1] = -EPERM;
    engine_turn(engine, 0);
    run(3, 10 * NSEC_PER_MSEC);
    engine_turn(engine, 0);
    ck_assert_int_eq(engine_thread(engine, 1, &view), 0);
    ck_assert_int_eq(view.processor, toy.homes[1]);
    engine_statistics(engine, &statistics);
    ck_assert_int_gt(statistics.moves_failed_count, 0);
    ck_assert_int_eq(statistics.failures.kinds[0].error, -EPERM);
    ck_assert_int_eq(statistics.failures.kinds[0].count, statistics.moves_failed_count);
    ck_assert_int_eq(statistics.failures.kinds[1].error, 0);
    engine_destroy(engine);
}

/* The turn's move of thread 1 to processor 0 fails; then it is moved away from there. */
START_TEST(a_failed_move_is_fed_back_before_the_thread_moves_again)
{
    begin(POLICY_PAPER, 2);
    run_three();
    toy.place_error[1] = -EPERM;
    engine_turn(engine, 0);
    toy.place_error[1] = 0;
    engine_processor_lost(engine, 0);
    run(3, 10 * NSEC_PER_MSEC);
    engine_turn(engine, 0);
    expect_at_home(3);
    engine_destroy(engine);
}

/* Thread 1 is to move to processor 0, which is lost before the move. */
START_TEST(a_move_that_a_change_has_overtaken_is_none)
{
    begin(POLICY_PAPER, 2);
    run_three();
    engine_sample(engine, 0);
    engine_sample(engine, 1);
    engine_decide(engine, 0);
    engine_processor_lost(engine, 0);
    engine_apply(engine, 0);
    expect_at_home(3);
    engine_destroy(engine);
}

START_TEST(dead_thread_counts_as_blocked_until_its_exit_is_known)
{
    struct thread_view view;

    begin(POLICY_PAPER, 2);
    run_three();
    toy.sample_error[2] = toy.place_error[2] = -ESRCH;
    engine_turn(engine, 0);
    ck_assert_int_eq(engine_thread(engine, 2, &view), 0);
    ck_assert_int_eq(view.state, THREAD_BLOCKED);
    engine_thread_exited(engine, 2);
    ck_assert_int_eq(engine_thread(engine, 2, &view), -ENOENT);
    engine_destroy(engine);
}

START_TEST(slots_run_out_with_an_error_and_come_back)
{
    int slot;

    begin(POLICY_STATIC, 2);
    add_threads(SLOTS_MAX);
    ck_assert_int_eq(engine_thread_reserve(engine, &slot), -ENOSPC);
    engine_thread_exited(engine, 5);
    ck_assert_int_eq(engine_thread_reserve(engine, &slot), 0);
    ck_assert_int_eq(slot, 5);
    engine_destroy(engine);
    engine_destroy(NULL);
}

START_TEST(lost_processor_is_emptied_at_once)
{
    begin(POLICY_PAPER, 3);
    add_threads(6);
    engine_start(engine);
    engine_processor_lost(engine, 1);
    for (int i = 0; i < 6; i++)
        ck_assert_int_ne(toy.homes[i], 1);
    engine_processor_found(engine, 1);
    engine_destroy(engine);
}

/* Each engine tells it once, because an engine begins with nothing told: so does the engine of a
 * second machine. */
START_TEST(short_phases_are_told_to_each_engine_and_once)
{
    for (int machine = 0; machine < 2; machine++) {
        begin(POLICY_JUGGLE, 2);
        engine_short_phases(engine, false);
        ck_assert_int_eq(toy.records_count, 0);
        engine_short_phases(engine, true);
        engine_short_phases(engine, true);
        ck_assert_int_eq(toy.records_count, 1);
        engine_short_phases(engine, false);
        ck_assert_int_eq(toy.records_count, 2);
        engine_destroy(engine);
    }
}

/* ---- domains side by side ---- */

/* Takes turns as balancers of two domains do that record nothing. Under SAN=thread this checks
 * that neither reads what the other may write of its threads. */
static void *turns_take(void *context)
{
    struct sharer *sharer = context;

    for (int turn = 0; turn < SHARED_TURNS; turn++) {
        toy.now_ns += 5 * NSEC_PER_MSEC;
        for (int i = sharer->domain; i < SHARERS; i += 2) {
            toy.totals[i].run_ns += (2 + (i + turn) % 3) * NSEC_PER_MSEC;
            toy.totals[i].wait_ns += 8 * NSEC_PER_MSEC;
        }
        engine_turn(engine, sharer->domain);
    }
    return NULL;
}

START_TEST(domains_decide_side_by_side)
{
    const struct policy_options options = {.kind = POLICY_PAPER, .threads_max = SLOTS_MAX};
    const struct ports ports = {NULL, toy_now, toy_sample, toy_place};
    struct engine_statistics statistics;
    struct sharer sharers[2];
    struct machine machine;
    int slot;

    memset(&toy, 0, sizeof(toy));
    toy.now_ns = NSEC_PER_SEC;
    ck_assert_int_eq(machine_uniform(4, 2, &machine), 0);
    ck_assert_int_eq(engine_create(&machine, &options, &ports, NULL, &engine), 0);
    for (int i = 0; i < SHARERS; i++) {
        ck_assert_int_eq(engine_thread_reserve(engine, &slot), 0);
        engine_thread_arrived(engine, slot, i % 2);
    }
    engine_start(engine);
    for (int i = 0; i < 2; i++) {
        sharers[i] = (struct sharer){.domain = i};
        ck_assert_int_eq(pthread_create(&sharers[i].thread, NULL, turns_take, &sharers[i]), 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(sharers[i].thread, NULL);
    ck_assert_ptr_null(engine_fault(engine));
    engine_statistics(engine, &statistics);
    ck_assert_int_eq(statistics.rounds_count, 2 * SHARED_TURNS);
    ck_assert_int_gt(statistics.migrations_count, SHARED_TURNS / 10);
    engine_destroy(engine);
}

SUITE("engine")
