/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank keeps of its tasks from one iteration to the next, and what it knows of them. */
#include "tests/lib/suite.h"

#include "tools/steal-sim/network.h"
#include "libjuggle/steal/runtime/collection.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { SEEN_MAX = 256 };

struct fixture {
    struct network *network;
    struct steal_runtime *runtime;
    struct steal_collection *collection;
    uint64_t seen[SEEN_MAX]; /* tasks executed, in their order */
    size_t count;
    uint64_t drop;     /* this task is forgotten */
    int64_t factor_ns; /* a task takes so much times its number; 0: it says nothing */
    bool parents;      /* tasks below 100 add one that is 100 more, each time or once */
    bool once;
};

static struct fixture fixture;

static int64_t one_ns(const void *context, int from, int to)
{
    (void)context, (void)from, (void)to;
    return 1;
}

static void play(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const uint64_t *task = tasks;

    (void)local;
    for (size_t i = 0; i < count; i++) {
        const uint64_t child = task[i] + 100;

        fixture.seen[fixture.count++] = task[i];
        if (task[i] == fixture.drop)
            steal_forget(worker, i);
        if (fixture.factor_ns > 0)
            steal_took(worker, i, fixture.factor_ns * (int64_t)task[i]);
        if (fixture.parents && task[i] < 100)
            ck_assert_int_eq(steal_add(worker, fixture.collection, &child, sizeof(child)), 0);
    }
}

static void open_function(struct steal_properties properties, const struct steal_options *options,
                          steal_exec *exec)
{
    const struct network_settings settings = {.ranks = 1, .latency_ns = one_ns};

    memset(&fixture, 0, sizeof(fixture));
    ck_assert_int_eq(network_open(&settings, &fixture.network), 0);
    ck_assert_int_eq(
        runtime_open(network_endpoint(fixture.network, 0), options, &fixture.runtime, NULL), 0);
    ck_assert_int_eq(steal_function_register(fixture.runtime, "play", exec, &properties.function),
                     0);
    properties.task_size = sizeof(uint64_t);
    ck_assert_int_eq(steal_collection_create(fixture.runtime, &properties, &fixture.collection), 0);
}

static void open_with(struct steal_properties properties)
{
    open_function(properties, NULL, play);
}

static void close_all(void)
{
    steal_collection_destroy(fixture.collection);
    steal_runtime_destroy(fixture.runtime);
    network_close(fixture.network);
}

static void add(uint64_t task)
{
    ck_assert_int_eq(
        steal_add(steal_seeder(fixture.runtime), fixture.collection, &task, sizeof(task)), 0);
}

static void process(void)
{
    fixture.count = 0;
    ck_assert_int_eq(steal_process(fixture.collection), 0);
}

static void again(void)
{
    ck_assert_int_eq(steal_restore(fixture.collection), 0);
    process();
}

static void expect_seen(const uint64_t *tasks, size_t count)
{
    ck_assert_uint_eq(fixture.count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_uint_eq(fixture.seen[i], tasks[i]);
}

static const struct history *history(uint32_t index)
{
    return ledger_history_at(&fixture.collection->station[0].record.ledger, index);
}

static struct steal_statistics statistics(void)
{
    struct steal_statistics statistics;

    steal_statistics_rank(fixture.collection, &statistics);
    return statistics;
}

/* ---- what is kept -------------------------------------------------------------------------- */

START_TEST(tasks_that_tasks_add_are_added_by_them_again)
{
    static const uint64_t both[] = {2, 102, 1, 101};

    open_with((struct steal_properties){.retain = STEAL_RETENTION_SEEDED});
    fixture.parents = true;
    add(1);
    add(2);
    process();
    expect_seen(both, 4);
    for (int round = 0; round < 3; round++) {
        again();
        expect_seen(both, 4);
    }
    close_all();
}
END_TEST

START_TEST(tasks_that_tasks_added_once_can_be_kept)
{
    static const uint64_t both[] = {2, 102, 1, 101};

    open_with((struct steal_properties){.retain = STEAL_RETENTION_ALL});
    fixture.parents = true;
    add(1);
    add(2);
    process();
    fixture.parents = false;
    again();
    expect_seen(both, 4);
    again();
    expect_seen(both, 4);
    close_all();
}
END_TEST

START_TEST(forgotten_tasks_do_not_return)
{
    open_with((struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .batch = 3});
    fixture.drop = 3;
    for (uint64_t task = 1; task <= 5; task++)
        add(task);
    process();
    ck_assert_uint_eq(fixture.count, 5);
    again();
    ck_assert_uint_eq(fixture.count, 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_ne(fixture.seen[i], 3);
    close_all();
}
END_TEST

START_TEST(new_tasks_join_those_restored)
{
    static const uint64_t all[] = {3, 2, 1};

    open_with((struct steal_properties){.retain = STEAL_RETENTION_SEEDED});
    add(1);
    add(2);
    process();
    ck_assert_int_eq(steal_restore(fixture.collection), 0);
    add(3);
    process();
    expect_seen(all, 3);
    again();
    expect_seen(all, 3);
    close_all();
}
END_TEST

START_TEST(a_batch_lies_side_by_side_whatever_is_kept_with_it)
{
    uint64_t *room;

    open_with((struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .batch = 8});
    struct steal_worker *seeder = steal_seeder(fixture.runtime);
    ck_assert_int_eq(steal_reserve(seeder, fixture.collection, 5, (void **)&room), 0);
    for (uint64_t i = 0; i < 5; i++)
        room[i] = i + 1;
    steal_commit(seeder, fixture.collection, 4);
    for (int round = 0; round < 3; round++) {
        static const uint64_t four[] = {1, 2, 3, 4};

        process();
        ck_assert_uint_eq(fixture.count, 4);
        if (round == 0)
            expect_seen(four, 4);
        ck_assert_int_eq(steal_restore(fixture.collection), 0);
    }
    close_all();
}
END_TEST

START_TEST(longest_first_if_that_is_wanted)
{
    static const uint64_t sorted[] = {64, 32, 8, 4, 1};

    open_with(
        (struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .order = STEAL_ORDER_LONGEST});
    fixture.factor_ns = 1000;
    add(4);
    add(64);
    add(1);
    add(32);
    add(8);
    process();
    again();
    expect_seen(sorted, 5);
    close_all();
}
END_TEST

/* ---- what is known ------------------------------------------------------------------------- */

START_TEST(what_tasks_took_is_expected_of_them)
{
    open_with((struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .batch = 2});
    fixture.factor_ns = 1000;
    for (uint64_t task = 1; task <= 4; task++)
        add(task);
    process();
    ck_assert_int_eq(statistics().load_ns, 10000);
    ck_assert_int_eq(statistics().predicted_ns, 0);
    ck_assert_int_eq(statistics().tasks_predicted, 0);
    fixture.factor_ns = 1100;
    again();
    ck_assert_int_eq(statistics().load_ns, 11000);
    ck_assert_int_eq(statistics().predicted_ns, 10000);
    ck_assert_int_eq(statistics().predicted_max_ns, 10000);
    ck_assert_int_eq(statistics().tasks_predicted, 4);
    ck_assert_int_eq(statistics().error_ns, 1000);
    close_all();
}
END_TEST

START_TEST(means_and_fading_means_follow_slowly)
{
    static const struct {
        enum steal_prediction prediction;
        int64_t expected_ns;
    } cases[] = {{STEAL_PREDICTION_LAST, 6000},
                 {STEAL_PREDICTION_MEAN, 3000},
                 {STEAL_PREDICTION_WEIGHTED, 2437}};

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        open_with((struct steal_properties){
            .retain = STEAL_RETENTION_SEEDED, .prediction = cases[i].prediction, .alpha = 0.25});
        add(1);
        fixture.factor_ns = 1000;
        process();
        fixture.factor_ns = 2000;
        again();
        fixture.factor_ns = 6000;
        again();
        ck_assert_int_eq(history(0)->predicted_ns, cases[i].expected_ns);
        ck_assert_uint_eq(history(0)->runs, 3);
        close_all();
    }
}
END_TEST

static int64_t weigh(const void *local, const void *task)
{
    (void)local;
    return (int64_t) * (const uint64_t *)task;
}

START_TEST(a_batch_is_shared_out_by_weight_to_the_nanosecond)
{
    struct steal_properties properties = {.retain = STEAL_RETENTION_SEEDED, .batch = 4};
    struct record record = {0};
    struct {
        uint64_t task;
        struct history history;
    } raw[4] = {{1, {0}}, {2, {0}}, {3, {0}}, {4, {0}}};

    properties.task_size = 8;
    properties.bins = 16;
    properties.memory_max = 4096;
    properties.alpha = 0.5;
    ck_assert_int_eq(record_open(&record, &properties, 1), 0);
    record_start(&record, 4);
    record_finish(&record, &properties, raw, 1003);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(raw[i].history.predicted_ns, 250 + (i < 3));
    properties.weight = weigh;
    record_start(&record, 4);
    record_finish(&record, &properties, raw, 1000);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(raw[i].history.predicted_ns, 100 * (int64_t)(i + 1));
    record_start(&record, 4);
    record_tell(&record, 3, 100);
    record_tell(&record, 4, 100);
    record_tell(&record, 2, -5);
    record_finish(&record, &properties, raw, 700);
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(raw[i].history.predicted_ns, 100 * (int64_t)(i < 3 ? i + 1 : 1));
    ck_assert_int_eq(record.load_ns, 1003 + 1000 + 700);
    ck_assert_int_eq(record.ledger.known_ns, record.load_ns);
    record_close(&record);
}
END_TEST

/* ---- by keys ------------------------------------------------------------------------------- */

static uint64_t number(const void *local, const void *task)
{
    (void)local;
    return *(const uint64_t *)task;
}

static const struct steal_properties keyed = {.retain = STEAL_RETENTION_SEEDED, .key = number};

static void expect_message(const char *part)
{
    const char *message = steal_message(fixture.runtime);

    ck_assert_msg(strstr(message, part), "'%s' does not say '%s'", message, part);
}

START_TEST(tasks_that_are_added_anew_are_known_by_their_keys)
{
    open_with(keyed);
    fixture.factor_ns = 1000;
    for (uint64_t task = 1; task <= 4; task++)
        add(task);
    process();
    for (uint64_t task = 3; task <= 6; task++)
        add(task);
    add(3);
    ck_assert_int_eq(steal_rebalance(fixture.collection, NULL), 0);
    process();
    ck_assert_uint_eq(fixture.count, 5);
    ck_assert_int_eq(statistics().predicted_ns, 3000 + 4000 + 3000);
    ck_assert_int_eq(statistics().tasks_predicted, 3);
    ck_assert_int_eq(statistics().error_ns, 0);
    close_all();
}
END_TEST

START_TEST(a_ledger_in_a_file_serves_another_run)
{
    char path[] = "/tmp/test_retention.XXXXXXledger";

    ck_assert_int_ge(mkstemps(path, sizeof("ledger") - 1), 0);
    open_with(keyed);
    fixture.factor_ns = 1000;
    add(1);
    add(2);
    ck_assert_int_eq(steal_ledger_save(fixture.collection, path), -EBUSY);
    process();
    ck_assert_int_eq(steal_restore(fixture.collection), 0);
    ck_assert_int_eq(steal_ledger_save(fixture.collection, path), 0);
    process();
    close_all();

    open_with(keyed);
    fixture.factor_ns = 1000;
    add(2);
    add(7);
    ck_assert_int_eq(steal_ledger_load(fixture.collection, path), 0);
    process();
    ck_assert_int_eq(statistics().predicted_ns, 2000);
    ck_assert_int_eq(statistics().tasks_predicted, 1);
    close_all();
    unlink(path);
}
END_TEST

START_TEST(a_file_that_is_no_ledger_is_refused_and_the_run_goes_on)
{
    static const uint64_t one[] = {1};
    char path[] = "/tmp/test_retention.XXXXXXledger";
    const int fd = mkstemps(path, sizeof("ledger") - 1);

    open_with(keyed);
    add(1);
    ck_assert_int_eq(write(fd, "JUGGLELG and more", 17), 17);
    close(fd);
    ck_assert_int_eq(steal_ledger_load(fixture.collection, path), -EBADMSG);
    expect_message("is cut off");
    ck_assert_int_eq(steal_ledger_load(fixture.collection, "/nonexistent/ledger"), -ENOENT);
    expect_message("/nonexistent/ledger: No such file");
    ck_assert_int_eq(steal_ledger_load(fixture.collection, "/tmp"), -EISDIR);
    process();
    expect_seen(one, 1);
    ck_assert_int_eq(steal_ledger_save(fixture.collection, "/nonexistent/ledger"), -ENOENT);
    expect_message("/nonexistent/ledger: No such file");
    close_all();
    unlink(path);
}
END_TEST

START_TEST(without_retention_or_keys_there_is_no_ledger)
{
    open_with((struct steal_properties){0});
    ck_assert_int_eq(steal_rebalance(fixture.collection, NULL), -EINVAL);
    expect_message("without retain");
    ck_assert_int_eq(steal_ledger_load(fixture.collection, "/tmp/x"), -EINVAL);
    expect_message("without retain");
    close_all();
    open_with((struct steal_properties){.retain = STEAL_RETENTION_ALL});
    ck_assert_int_eq(steal_ledger_save(fixture.collection, "/tmp/x"), -EINVAL);
    expect_message("without a key");
    close_all();
}
END_TEST

static void expect_refused(struct steal_balance settings, const char *part)
{
    ck_assert_int_eq(steal_rebalance(fixture.collection, &settings), -EINVAL);
    expect_message(part);
}

START_TEST(bad_settings_of_balancing_are_named)
{
    open_with(keyed);
    expect_refused((struct steal_balance){.donate_above = 0.5},
                   "donate_above must be at least 1, not 0.5");
    expect_refused((struct steal_balance){.donate_above = (double)NAN},
                   "donate_above must not be negative: nan");
    expect_refused((struct steal_balance){.fill_below = -1}, "fill_below must not be negative: -1");
    expect_refused((struct steal_balance){.arity = 1}, "arity must be 2 to 2147483647, not 1");
    expect_refused((struct steal_balance){.balancer = 7}, "balancer 7 does not exist");
    expect_refused((struct steal_balance){.donation = 2}, "donation 2 does not exist");
    expect_refused((struct steal_balance){.gain_min_ns = -1}, "gain_min_ns must not be negative");
    close_all();
}
END_TEST

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
    const struct steal_options threads = {.mode = STEAL_MODE_THREADS, .workers = 3};
    const int64_t load_ns = THREAD_TASKS * 1000 + THREAD_TASKS * (THREAD_TASKS - 1) / 2;

    memset(executions, 0, sizeof(executions));
    open_function((struct steal_properties){.retain = STEAL_RETENTION_SEEDED,
                                            .batch = 4,
                                            .order = STEAL_ORDER_LONGEST,
                                            .key = number},
                  &threads, count_up);
    for (uint64_t task = 0; task < THREAD_TASKS; task++)
        add(task);
    for (int round = 1; round <= 6; round++) {
        ck_assert_int_eq(steal_process(fixture.collection), 0);
        ck_assert_int_eq(statistics().load_ns, load_ns);
        ck_assert_int_eq(statistics().predicted_ns, round == 1 ? 0 : load_ns);
        for (int task = 0; task < THREAD_TASKS; task++)
            ck_assert_int_eq(executions[task], round);
        if (round % 2) {
            ck_assert_int_eq(steal_restore(fixture.collection), 0);
            continue;
        }
        for (uint64_t task = 0; task < THREAD_TASKS; task++)
            add(task);
        ck_assert_int_eq(steal_rebalance(fixture.collection, NULL), 0);
    }
    close_all();
}
END_TEST

SUITE("retention", tasks_that_tasks_add_are_added_by_them_again,
      tasks_that_tasks_added_once_can_be_kept, forgotten_tasks_do_not_return,
      new_tasks_join_those_restored, a_batch_lies_side_by_side_whatever_is_kept_with_it,
      longest_first_if_that_is_wanted, what_tasks_took_is_expected_of_them,
      means_and_fading_means_follow_slowly, a_batch_is_shared_out_by_weight_to_the_nanosecond,
      tasks_that_are_added_anew_are_known_by_their_keys, a_ledger_in_a_file_serves_another_run,
      a_file_that_is_no_ledger_is_refused_and_the_run_goes_on,
      without_retention_or_keys_there_is_no_ledger, bad_settings_of_balancing_are_named,
      threads_keep_their_tasks_and_are_dealt_them_again)
