/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tasks a rank keeps from one iteration to the next, and what it knows of them. */
#include "tests/lib/lone.h"
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "libjuggle/steal/runtime/image.h"

#include <errno.h>
#include <string.h>

/* ---- kept tasks --------------------------------------------------------------------------- */

START_TEST(tasks_that_tasks_add_are_added_by_them_again)
{
    static const uint64_t both[] = {2, 102, 1, 101};

    lone_open((struct steal_properties){.retain = STEAL_RETENTION_SEEDED});
    lone.parents = true;
    lone_add(1);
    lone_add(2);
    lone_process();
    lone_expect_seen(both, 4);
    for (int round = 0; round < 3; round++) {
        lone_restore_and_process();
        lone_expect_seen(both, 4);
    }
    lone_close();
}

START_TEST(tasks_that_tasks_added_once_can_be_kept)
{
    static const uint64_t both[] = {2, 102, 1, 101};

    lone_open((struct steal_properties){.retain = STEAL_RETENTION_ALL});
    lone.parents = true;
    lone_add(1);
    lone_add(2);
    lone_process();
    lone.parents = false;
    lone_restore_and_process();
    lone_expect_seen(both, 4);
    lone_restore_and_process();
    lone_expect_seen(both, 4);
    lone_close();
}

START_TEST(forgotten_tasks_do_not_return)
{
    lone_open((struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .batch = 3});
    lone.drop = 3;
    for (uint64_t task = 1; task <= 5; task++)
        lone_add(task);
    lone_process();
    ck_assert_uint_eq(lone.count, 5);
    lone_restore_and_process();
    ck_assert_uint_eq(lone.count, 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_ne(lone.seen[i], 3);
    lone_close();
}

START_TEST(new_tasks_join_those_restored)
{
    static const uint64_t all[] = {3, 2, 1};

    lone_open((struct steal_properties){.retain = STEAL_RETENTION_SEEDED});
    lone_add(1);
    lone_add(2);
    lone_process();
    ck_assert_int_eq(steal_restore(lone.collection), 0);
    lone_add(3);
    lone_process();
    lone_expect_seen(all, 3);
    lone_restore_and_process();
    lone_expect_seen(all, 3);
    lone_close();
}

START_TEST(a_batch_lies_side_by_side_whatever_is_kept_with_it)
{
    uint64_t *room;

    lone_open((struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .batch = 8});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    ck_assert_int_eq(steal_reserve(seeder, lone.collection, 5, (void **)&room), 0);
    for (uint64_t i = 0; i < 5; i++)
        room[i] = i + 1;
    steal_commit(seeder, lone.collection, 4);
    for (int round = 0; round < 3; round++) {
        static const uint64_t four[] = {1, 2, 3, 4};

        lone_process();
        ck_assert_uint_eq(lone.count, 4);
        if (round == 0)
            lone_expect_seen(four, 4);
        ck_assert_int_eq(steal_restore(lone.collection), 0);
    }
    lone_close();
}

START_TEST(longest_first_if_that_is_wanted)
{
    static const uint64_t sorted[] = {64, 32, 8, 4, 1};

    lone_open(
        (struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .order = STEAL_ORDER_LONGEST});
    lone.factor_ns = 1000;
    lone_add(4);
    lone_add(64);
    lone_add(1);
    lone_add(32);
    lone_add(8);
    lone_process();
    lone_restore_and_process();
    lone_expect_seen(sorted, 5);
    lone_close();
}

/* ---- known costs -------------------------------------------------------------------------- */

START_TEST(what_tasks_took_is_expected_of_them)
{
    lone_open((struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .batch = 2});
    lone.factor_ns = 1000;
    for (uint64_t task = 1; task <= 4; task++)
        lone_add(task);
    lone_process();
    ck_assert_int_eq(lone_statistics().load_ns, 10000);
    ck_assert_int_eq(lone_statistics().predicted_ns, 0);
    ck_assert_int_eq(lone_statistics().tasks_predicted, 0);
    lone.factor_ns = 1100;
    lone_restore_and_process();
    ck_assert_int_eq(lone_statistics().load_ns, 11000);
    ck_assert_int_eq(lone_statistics().predicted_ns, 10000);
    ck_assert_int_eq(lone_statistics().predicted_max_ns, 10000);
    ck_assert_int_eq(lone_statistics().tasks_predicted, 4);
    ck_assert_int_eq(lone_statistics().error_ns, 1000);
    lone_close();
}

START_TEST(means_and_fading_means_follow_slowly)
{
    static const struct {
        enum steal_prediction prediction;
        double alpha;
        int64_t expected_ns;
    } cases[] = {{STEAL_PREDICTION_LAST, 0, 6000},
                 {STEAL_PREDICTION_MEAN, 0, 3000},
                 {STEAL_PREDICTION_WEIGHTED, 0.25, 2437}};

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        lone_open((struct steal_properties){.retain = STEAL_RETENTION_SEEDED,
                                            .prediction = cases[i].prediction,
                                            .alpha = cases[i].alpha});
        lone_add(1);
        lone.factor_ns = 1000;
        lone_process();
        lone.factor_ns = 2000;
        lone_restore_and_process();
        lone.factor_ns = 6000;
        lone_restore_and_process();
        ck_assert_int_eq(lone_history(0)->predicted_ns, cases[i].expected_ns);
        ck_assert_uint_eq(lone_history(0)->runs, 3);
        lone_close();
    }
}

static int64_t weigh(const void *local, const void *task)
{
    (void)local;
    return (int64_t) * (const uint64_t *)task;
}

START_TEST(a_batch_is_shared_out_by_weight_to_the_nanosecond)
{
    struct steal_properties properties = {
        .size = sizeof(struct steal_properties), .retain = STEAL_RETENTION_SEEDED, .batch = 4};
    struct record record = {0};
    struct {
        uint64_t task;
        struct history history;
    } raw[4] = {{1, {0}}, {2, {0}}, {3, {0}}, {4, {0}}};

    properties.task_size = 8;
    properties.bins = 16;
    properties.memory_max = 4096;
    properties.alpha = 0.5;
    record_init(&record, &properties, 1);
    ck_assert_int_eq(record_open(&record), 0);
    ck_assert_int_eq(record_open(&record), 0);
    record_start(&record, 4);
    record_finish(&record, raw, 1003);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(raw[i].history.predicted_ns, 250 + (i < 3));
    properties.weight = weigh;
    record_start(&record, 4);
    record_finish(&record, raw, 1000);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(raw[i].history.predicted_ns, 100 * (int64_t)(i + 1));
    record_start(&record, 4);
    record_set_duration(&record, 3, 100);
    record_set_duration(&record, 4, 100);
    record_set_duration(&record, 2, -5);
    record_finish(&record, raw, 700);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(raw[i].history.predicted_ns, 100 * (int64_t)(i < 3 ? i + 1 : 1));
    ck_assert_int_eq(record.load_ns, 1003 + 1000 + 700);
    ck_assert_int_eq(record.ledger.known_ns, record.load_ns);
    record_close(&record);
}

/* ---- threads ------------------------------------------------------------------------------- */

enum { THREAD_TASKS = 400 };

static _Atomic int executions[THREAD_TASKS];

static void count_up(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const uint64_t *task = tasks;

    (void)local;
    for (size_t i = 0; i < count; i++) {
        executions[task[i]]++;
        steal_took(worker, i, 1000 + (int64_t)task[i]);
    }
}

START_TEST(threads_keep_their_tasks_and_are_dealt_them_again)
{
    const int64_t load_ns = THREAD_TASKS * 1000 + THREAD_TASKS * (THREAD_TASKS - 1) / 2;

    memset(executions, 0, sizeof(executions));
    lone_open_function((struct steal_properties){.retain = STEAL_RETENTION_SEEDED,
                                                 .batch = 4,
                                                 .order = STEAL_ORDER_LONGEST,
                                                 .key = lone_key},
                       &lone_threads, count_up);
    for (uint64_t task = 0; task < THREAD_TASKS; task++)
        lone_add(task);
    for (int round = 1; round <= 6; round++) {
        ck_assert_int_eq(steal_process(lone.collection), 0);
        ck_assert_int_eq(lone_statistics().load_ns, load_ns);
        ck_assert_int_eq(lone_statistics().predicted_ns, round == 1 ? 0 : load_ns);
        for (int task = 0; task < THREAD_TASKS; task++)
            ck_assert_int_eq(executions[task], round);
        if (round % 2) {
            ck_assert_int_eq(steal_restore(lone.collection), 0);
            continue;
        }
        for (uint64_t task = 0; task < THREAD_TASKS; task++)
            lone_add(task);
        ck_assert_int_eq(steal_rebalance(lone.collection, NULL), 0);
    }
    lone_close();
}

enum { MANY = 4096 };

/* There is no memory for a second copy of the tasks. */
START_TEST(what_cannot_be_restored_leaves_the_collection_as_it_was)
{
    const struct steal_properties properties = {
        .retain = STEAL_RETENTION_SEEDED, .tasks = MANY, .batch = 3};

    lone_open_function(properties, NULL, lone_nothing);
    for (uint64_t task = 0; task < MANY; task++)
        lone_add(task);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    for (uint64_t task = 0; task < MANY / 2; task++)
        lone_add(task);
    const rlim_t before = limit_set(RLIMIT_AS, 0);
    int result = steal_restore(lone.collection);
    limit_set(RLIMIT_AS, before);
    ck_assert_int_eq(result, -ENOMEM);
    lone_expect_message("no memory for 4096 tasks");
    ck_assert_int_eq(lone.collection->predicted, 0);
    ck_assert_int_eq(image_held(lone.collection), MANY / 2);
    ck_assert_int_eq(steal_restore(lone.collection), 0);
    ck_assert_int_eq(image_held(lone.collection), MANY / 2 + MANY);
    lone_close();
}

SUITE("retention")
