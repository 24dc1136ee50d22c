/* SPDX-License-Identifier: BSD-3-Clause */
/* The public interface on one rank: what it promises of tasks, deques, threads and counters. */
#include "tests/lib/lone.h"
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "libjuggle/steal/runtime/process.h"
#include "tools/steal-sim/network.h"

#include <errno.h>
#include <string.h>

/* Processes tasks 1 to `count`, and checks that all were executed. */
static void play_tasks(struct steal_properties properties, uint64_t count)
{
    lone_open(properties);
    for (uint64_t task = 1; task <= count; task++)
        lone_add(task);
    lone_process();
    ck_assert_uint_eq(lone.count, count);
}

START_TEST(batches_hold_up_to_the_bound)
{
    play_tasks((struct steal_properties){.batch = 4}, 10);
    ck_assert_uint_eq(lone.largest, 4);
    ck_assert_uint_eq(lone.seen[3], 10);
    lone_close();
}

START_TEST(a_rest_that_fills_no_vector_comes_last)
{
    play_tasks((struct steal_properties){.batch = 64, .lanes = 16}, 37);
    ck_assert_uint_eq(lone.largest, 32);
    ck_assert_uint_eq(lone.seen[0], 6);
    ck_assert_uint_eq(lone.seen[31], 37);
    ck_assert_uint_eq(lone.seen[32], 1);
    lone_close();
}

START_TEST(reservation_commits_as_much_as_was_filled)
{
    uint64_t *room;

    lone_open((struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    ck_assert_int_eq(steal_reserve(seeder, lone.collection, 8, (void **)&room), 0);
    room[0] = 5;
    steal_commit(seeder, lone.collection, 1);
    ck_assert_int_eq(steal_reserve(seeder, lone.collection, 8, (void **)&room), 0);
    steal_commit(seeder, lone.collection, 0);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_uint_eq(lone.count, 1);
    ck_assert_uint_eq(lone.seen[0], 5);
    lone_close();
}

START_TEST(restore_brings_back_what_was_executed_in_the_same_order)
{
    lone_open((struct steal_properties){.retain = 1});
    for (uint64_t task = 1; task <= 5; task++)
        lone_add(task);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(steal_restore(lone.collection), 0);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_uint_eq(lone.count, 10);
    ck_assert_mem_eq(lone.seen, lone.seen + 5, 5 * sizeof(lone.seen[0]));
    lone_close();
}

START_TEST(statistics_count_one_process)
{
    struct steal_statistics statistics = {.size = sizeof(struct steal_statistics)};

    lone_open((struct steal_properties){0});
    for (int round = 0; round < 2; round++) {
        lone_add(1);
        lone_add(2);
        ck_assert_int_eq(steal_process(lone.collection), 0);
        ck_assert_int_eq(steal_statistics_sum(lone.collection, &statistics), 0);
        ck_assert_int_eq(statistics.tasks_executed, 2);
        ck_assert_int_eq(statistics.tasks_held_max, 2);
        ck_assert_int_eq(statistics.steals_attempted, 0);
    }
    lone_close();
}

START_TEST(names_of_strategies_go_both_ways)
{
    int value = 77;

    ck_assert_int_eq(steal_choice_parse(STEAL_CHOICE_VICTIM, "round-robin", &value), 0);
    ck_assert_int_eq(value, STEAL_VICTIM_ROUND_ROBIN);
    ck_assert_int_eq(steal_choice_parse(STEAL_CHOICE_MODE, "round-robin", &value), -EINVAL);
    ck_assert_int_eq(value, STEAL_VICTIM_ROUND_ROBIN);
    ck_assert_str_eq(steal_choice_name(STEAL_CHOICE_AMOUNT, STEAL_AMOUNT_K), "k");
    ck_assert_ptr_null(steal_choice_name(STEAL_CHOICE_TERMINATION, 3));
    ck_assert_ptr_null(steal_choice_name(STEAL_CHOICE_TERMINATION, -1));
}

START_TEST(task_larger_than_announced_is_refused)
{
    uint64_t two[2] = {1, 2};

    lone_open((struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    ck_assert_int_eq(steal_add(seeder, lone.collection, two, sizeof(two)), -EMSGSIZE);
    lone_expect_worker_message(seeder, "16 bytes is larger than task_size, 8");
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_uint_eq(lone.count, 0);
    lone_close();
}

START_TEST(full_deque_refuses_and_keeps_what_it_has)
{
    const size_t memory = 16 * sizeof(uint64_t);

    lone_open((struct steal_properties){.tasks = 4, .memory_max = memory});
    for (uint64_t task = 1; task <= 16; task++)
        lone_add(task);
    ck_assert_int_eq(lone_try_add(17), -ENOSPC);
    lone_expect_worker_message(steal_seeder(lone.runtime),
                               "the deque is full: 16 tasks of 8 bytes, memory_max is 128 bytes");
    lone_expect_message("the deque is full: 16 tasks");
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_uint_eq(lone.count, 16);
    lone_close();
}

START_TEST(memory_max_holds_what_it_says)
{
    const size_t memory = 1 << 20;
    void *room;

    lone_open((struct steal_properties){.tasks = 1024, .memory_max = memory});
    for (size_t held = 0; held < memory / sizeof(uint64_t); held += STEAL_BATCH_MAX) {
        ck_assert_int_eq(
            steal_reserve(steal_seeder(lone.runtime), lone.collection, STEAL_BATCH_MAX, &room), 0);
        steal_commit(steal_seeder(lone.runtime), lone.collection, STEAL_BATCH_MAX);
    }
    ck_assert_int_eq(lone_try_add(1), -ENOSPC);
    lone_close();
}

/* The limit that fails then is not memory_max, and raising that would not help. */
START_TEST(a_deque_that_cannot_grow_is_not_called_full)
{
    lone_open((struct steal_properties){.tasks = 1 << 14});
    for (uint64_t task = 0; task < 1 << 14; task++)
        lone_add(task);
    /* AddressSanitizer ends a program that has no memory left: the worker gets its message now. */
    ck_assert_int_eq(steal_add(steal_seeder(lone.runtime), NULL, "", 1), -EINVAL);
    const rlim_t before = limit_set(RLIMIT_AS, 0);
    const int result = lone_try_add(1 << 14);
    limit_set(RLIMIT_AS, before);
    ck_assert_int_eq(result, -ENOMEM);
    lone_expect_worker_message(steal_seeder(lone.runtime),
                               "no memory for more tasks: the deque holds 16384 of 8 bytes");
    lone_add(1 << 14);
    lone_close();
}

/* Sends tasks as a rank at the other end of a lifeline would. */
static void deal(uint64_t first, uint32_t count)
{
    struct transport *far = network_endpoint(lone.network, 1);
    const struct message message = {.peer = 0, .epoch = 1, .kind = MESSAGE_DEAL, .count = count};
    uint64_t *tasks = far->ops->room(far);
    int rank;

    for (uint32_t i = 0; i < count; i++)
        tasks[i] = first + i;
    ck_assert_int_eq(far->ops->send(far, &message, count * sizeof(uint64_t)), 0);
    ck_assert_int_eq(network_next(lone.network, &rank), 1);
}

START_TEST(tasks_that_come_to_a_full_deque_are_kept)
{
    const size_t memory = 16 * sizeof(uint64_t);
    bool seen[5] = {false};

    lone_open_among(2, (struct steal_properties){.tasks = 4, .memory_max = memory}, NULL,
                    lone_note);
    for (uint64_t task = 1; task <= 16; task++)
        lone_add(task);
    process_begin(lone.collection);
    deal(100, 3);
    deal(103, 2);
    for (int turn = 0; turn < 40; turn++)
        ck_assert_int_ge(process_turn(lone.collection), 0);
    ck_assert_uint_eq(lone.count, 16 + 5);
    for (size_t i = 0; i < lone.count; i++)
        if (lone.seen[i] >= 100)
            seen[lone.seen[i] - 100] = true;
    for (size_t i = 0; i < ARRAY_COUNT(seen); i++)
        ck_assert(seen[i]);
    process_end(lone.collection);
    lone_close();
}

static _Atomic int64_t executed;

/* A task is the depth of the binary tree below it. */
static void divide(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const uint64_t *depth = tasks;

    (void)local;
    executed += (int64_t)count;
    for (size_t i = 0; i < count; i++) {
        uint64_t *child;

        if (depth[i] == 0)
            continue;
        ck_assert_int_eq(steal_reserve(worker, lone.collection, 2, (void **)&child), 0);
        child[0] = child[1] = depth[i] - 1;
        steal_commit(worker, lone.collection, 2);
    }
}

START_TEST(threads_execute_every_task_once)
{
    const struct steal_options options = {
        .size = sizeof(options), .mode = STEAL_MODE_THREADS, .workers = 4};

    for (size_t batch = 1; batch <= 16; batch *= 4) {
        lone_open_function((struct steal_properties){.batch = batch, .tasks = 2}, &options, divide);
        executed = 0;
        for (int round = 1; round <= 20; round++) {
            lone_add(11);
            ck_assert_int_eq(steal_process(lone.collection), 0);
            ck_assert_int_eq(executed, round * 4095);
        }
        lone_close();
    }
}

enum { NARROW_TASKS = 100, NARROW_BATCH = 1024, NARROW_TURNS = 100000000 };

static _Atomic bool has_seen[2];

/* A tree that is deep and never wider than NARROW_TASKS; it ends when both workers have executed
 * tasks of it. */
static void go_down(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    void *room;

    (void)local;
    has_seen[steal_worker_index(worker)] = true;
    executed += (int64_t)count;
    if ((has_seen[0] && has_seen[1]) || executed > NARROW_TURNS)
        return;
    ck_assert_int_eq(steal_reserve(worker, lone.collection, count, &room), 0);
    memcpy(room, tasks, count * sizeof(uint64_t));
    steal_commit(worker, lone.collection, count);
}

START_TEST(no_thread_starves_beside_less_than_a_batch)
{
    const struct steal_options options = {
        .size = sizeof(options), .mode = STEAL_MODE_THREADS, .workers = 2};

    lone_open_function((struct steal_properties){.batch = NARROW_BATCH}, &options, go_down);
    for (uint64_t i = 0; i < NARROW_TASKS; i++)
        lone_add(i);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert(has_seen[0] && has_seen[1]);
    lone_close();
}

static void compute(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks;
    network_compute(lone.network, 0, (int64_t)count * NSEC_PER_MSEC);
}

START_TEST(a_report_is_of_its_collection)
{
    const struct steal_properties properties = LONE_PROPERTIES();
    struct steal_report report = {.size = sizeof(struct steal_report)};
    struct steal_collection *other;

    lone_open_function((struct steal_properties){0}, NULL, compute);
    ck_assert_int_eq(steal_collection_create(lone.runtime, &properties, &other), 0);
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(steal_process(other), 0);
    ck_assert_int_eq(steal_report(lone.collection, &report), 0);
    ck_assert_double_gt(report.occupancy[STEAL_REPORT_PARTS / 2], 0.9);
    ck_assert_int_eq(steal_report(other, &report), 0);
    ck_assert_double_lt(report.occupancy[STEAL_REPORT_PARTS / 2], 0.1);
    steal_collection_destroy(other);
    lone_close();
}

SUITE("steal interface")
