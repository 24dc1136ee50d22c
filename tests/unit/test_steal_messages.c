/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of calls that fail, that calls that succeed leave none, and that NULL is
 * reported. */
#include "tests/lib/lone.h"
#include "tests/lib/suite.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static const char *message(void)
{
    return steal_message(lone.runtime);
}

static void expect_told(int result, const char *part)
{
    ck_assert_int_eq(result, -EINVAL);
    lone_expect_message(part);
}

static void expect_forgotten(int result)
{
    ck_assert_int_eq(result, 0);
    ck_assert_str_eq(message(), "");
}

static void fail_once(void)
{
    ck_assert_int_eq(steal_restore(NULL), -EINVAL);
    ck_assert_int_eq(steal_ledger_load(lone.collection, NULL), -EINVAL);
    ck_assert_str_ne(message(), "");
}

START_TEST(a_call_that_succeeds_leaves_no_message)
{
    struct steal_statistics statistics = {.size = sizeof(struct steal_statistics)};
    struct steal_report report = {.size = sizeof(struct steal_report)};
    steal_function function;
    const uint64_t task = 1;
    int64_t value = 1;
    void *room;

    lone_open((struct steal_properties){.retain = STEAL_RETENTION_SEEDED});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    fail_once();
    expect_forgotten(steal_function_register(lone.runtime, "other", lone_nothing, &function));
    fail_once();
    expect_forgotten(steal_sum(lone.runtime, &value, 1));
    fail_once();
    expect_forgotten(steal_add(seeder, lone.collection, &task, sizeof(task)));
    fail_once();
    expect_forgotten(steal_reserve(seeder, lone.collection, 1, &room));
    steal_commit(seeder, lone.collection, 0);
    fail_once();
    expect_forgotten(steal_process(lone.collection));
    fail_once();
    expect_forgotten(steal_restore(lone.collection));
    fail_once();
    expect_forgotten(steal_rebalance(lone.collection, NULL));
    fail_once();
    expect_forgotten(steal_isolate(lone.collection, 1));
    fail_once();
    expect_forgotten(steal_scatter(lone.collection, 1));
    fail_once();
    expect_forgotten(steal_statistics_sum(lone.collection, &statistics));
    fail_once();
    expect_forgotten(steal_statistics_rank(lone.collection, &statistics));
    fail_once();
    expect_forgotten(steal_report(lone.collection, &report));
    ck_assert_int_eq(steal_add(seeder, lone.collection, &task, 9), -EMSGSIZE);
    ck_assert_str_ne(steal_worker_message(seeder), "");
    expect_forgotten(steal_add(seeder, lone.collection, &task, sizeof(task)));
    ck_assert_str_eq(steal_worker_message(seeder), "");
    lone_close();
}

/* A call that fails, then one that succeeds; a task fails once more before. */
static void fail_and_give(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)local, (void)count;
    ck_assert_int_eq(steal_result(worker, 1, NULL, 8), -EINVAL);
    ck_assert_str_eq(steal_worker_message(worker), "data is NULL");
    ck_assert_int_eq(steal_result(worker, 1, tasks, 8), 0);
    ck_assert_str_eq(steal_worker_message(worker), "");
}

START_TEST(what_waits_and_what_comes_out_leave_no_message_either)
{
    struct steal_worker *seeder;
    const uint64_t task = 1;

    lone_open_function((struct steal_properties){.waiting = 1, .results_path = "/dev/null"}, NULL,
                       fail_and_give);
    seeder = steal_seeder(lone.runtime);
    expect_told(steal_add_waiting(seeder, lone.collection, 1, -1, &task, 8),
                "a count must not be negative: -1");
    expect_forgotten(steal_add_waiting(seeder, lone.collection, 1, 1, &task, 8));
    ck_assert_str_eq(steal_worker_message(seeder), "");
    fail_once();
    expect_forgotten(steal_count_down(seeder, lone.collection, 1));
    ck_assert_int_eq(steal_process(lone.collection), 0);
    lone_close();
}

START_TEST(canceling_what_is_not_processed_says_why)
{
    lone_open((struct steal_properties){0});
    expect_told(steal_cancel(lone.collection), "steal_cancel() outside of a task");
    lone_close();
}

START_TEST(a_pointer_that_is_null_is_told)
{
    struct steal_properties properties = {.size = sizeof(struct steal_properties), .task_size = 8};
    struct steal_collection *never;
    int64_t value = 1;
    int choice;
    void *room;

    lone_open((struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .key = lone_key});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    expect_told(steal_function_register(lone.runtime, "x", lone_nothing, NULL), "function is NULL");
    expect_told(steal_sum(lone.runtime, NULL, 1), "values is NULL");
    expect_told(steal_max(lone.runtime, NULL, 1), "values is NULL");
    expect_told(steal_sum(lone.runtime, &value, (size_t)INT_MAX + 1),
                "count must be at most 2147483647, not 2147483648");
    expect_forgotten(steal_sum(lone.runtime, NULL, 0));
    expect_told(steal_collection_create(lone.runtime, NULL, &never), "properties is NULL");
    expect_told(steal_collection_create(lone.runtime, &properties, NULL), "collection is NULL");
    expect_told(steal_ledger_save(lone.collection, NULL), "path is NULL");
    expect_told(steal_ledger_load(lone.collection, NULL), "path is NULL");
    expect_told(steal_trace_write(lone.runtime, NULL), "path is NULL");
    expect_told(steal_statistics_rank(lone.collection, NULL), "statistics is NULL");
    expect_told(steal_statistics_sum(lone.collection, NULL), "statistics is NULL");
    expect_told(steal_report(lone.collection, NULL), "report is NULL");
    expect_told(steal_add(seeder, NULL, &value, 8), "the collection is NULL");
    expect_told(steal_add(seeder, lone.collection, NULL, 8), "task is NULL");
    expect_told(steal_reserve(seeder, NULL, 1, &room), "the collection is NULL");
    expect_told(steal_reserve(seeder, lone.collection, 1, NULL), "tasks is NULL");
    steal_commit(seeder, NULL, 1);
    steal_commit(NULL, lone.collection, 1);
    ck_assert_int_eq(steal_choice_parse(STEAL_CHOICE_MODE, NULL, &choice), -EINVAL);
    ck_assert_int_eq(steal_choice_parse(STEAL_CHOICE_MODE, "threads", NULL), -EINVAL);
    lone_close();
}

START_TEST(a_path_that_is_empty_is_told_by_its_name)
{
    const struct steal_checkpoint nowhere = {
        .size = sizeof(nowhere), .path = "", .every_ns = 1000000000};
    const struct steal_properties properties = LONE_PROPERTIES(.results_path = "");
    struct steal_collection *never = NULL;

    lone_open((struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .key = lone_key});
    expect_told(steal_collection_create(lone.runtime, &properties, &never),
                "results_path is empty");
    ck_assert_ptr_null(never);
    expect_told(steal_checkpoint(lone.collection, &nowhere), "path is empty");
    expect_told(steal_ledger_save(lone.collection, ""), "path is empty");
    expect_told(steal_ledger_load(lone.collection, ""), "path is empty");
    expect_told(steal_trace_write(lone.runtime, ""), "path is empty");
    lone_close();
}

/* A message that began with the path would be cut off within it. */
START_TEST(a_path_that_is_too_long_is_told_by_its_name)
{
    static char path[PATH_MAX + 1];
    const struct steal_checkpoint far = {.size = sizeof(far), .path = path};
    const struct steal_properties properties = LONE_PROPERTIES(.results_path = path);
    struct steal_collection *never = NULL;

    memset(path, 'x', sizeof(path) - 1);
    lone_open((struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .key = lone_key});
    ck_assert_int_eq(steal_collection_create(lone.runtime, &properties, &never), -ENAMETOOLONG);
    lone_expect_message("results_path is longer than 4095 bytes");
    ck_assert_int_eq(steal_checkpoint(lone.collection, &far), -ENAMETOOLONG);
    lone_expect_message("path is longer than 4095 bytes");
    lone_process();
    ck_assert_int_eq(steal_ledger_save(lone.collection, path), -ENAMETOOLONG);
    lone_expect_message("path is longer than 4095 bytes");
    ck_assert_int_eq(steal_ledger_load(lone.collection, path), -ENAMETOOLONG);
    lone_expect_message("path is longer than 4095 bytes");
    lone_close();
}

START_TEST(an_object_that_is_null_is_refused)
{
    struct steal_statistics statistics = {.size = sizeof(struct steal_statistics)};
    struct steal_properties properties = {.size = sizeof(struct steal_properties), .task_size = 8};
    struct steal_collection *never;
    struct steal_report report = {.size = sizeof(struct steal_report)};
    steal_function function;
    int64_t value = 1;
    void *room;

    ck_assert_int_eq(steal_runtime_destroy(NULL), 0);
    ck_assert_int_eq(steal_collection_destroy(NULL), 0);
    ck_assert_int_eq(steal_rank(NULL), -EINVAL);
    ck_assert_int_eq(steal_ranks(NULL), -EINVAL);
    ck_assert_int_eq(steal_workers(NULL), -EINVAL);
    ck_assert_int_eq(steal_worker_index(NULL), -EINVAL);
    ck_assert_ptr_null(steal_seeder(NULL));
    ck_assert_str_eq(steal_message(NULL), "the runtime is NULL");
    ck_assert_str_eq(steal_worker_message(NULL), "the worker is NULL");
    ck_assert_int_eq(steal_function_register(NULL, "x", lone_nothing, &function), -EINVAL);
    ck_assert_int_eq(steal_sum(NULL, &value, 1), -EINVAL);
    ck_assert_int_eq(steal_max(NULL, &value, 1), -EINVAL);
    ck_assert_int_eq(steal_collection_create(NULL, &properties, &never), -EINVAL);
    ck_assert_int_eq(steal_process(NULL), -EINVAL);
    ck_assert_int_eq(steal_cancel(NULL), -EINVAL);
    ck_assert_int_eq(steal_restore(NULL), -EINVAL);
    ck_assert_int_eq(steal_rebalance(NULL, NULL), -EINVAL);
    ck_assert_int_eq(steal_ledger_save(NULL, "x"), -EINVAL);
    ck_assert_int_eq(steal_ledger_load(NULL, "x"), -EINVAL);
    ck_assert_int_eq(steal_isolate(NULL, 1), -EINVAL);
    ck_assert_int_eq(steal_scatter(NULL, 1), -EINVAL);
    ck_assert_int_eq(steal_add(NULL, NULL, &value, 8), -EINVAL);
    ck_assert_int_eq(steal_reserve(NULL, NULL, 1, &room), -EINVAL);
    steal_commit(NULL, NULL, 1);
    steal_took(NULL, 0, 1);
    steal_forget(NULL, 0);
    ck_assert_int_eq(steal_statistics_rank(NULL, &statistics), -EINVAL);
    ck_assert_int_eq(steal_statistics_sum(NULL, &statistics), -EINVAL);
    ck_assert_int_eq(steal_report(NULL, &report), -EINVAL);
    ck_assert_double_eq(steal_report_starting(NULL, 0.5), 1);
    ck_assert_double_eq(steal_report_ending(NULL, 0.5), 1);
    ck_assert_int_eq(steal_trace_write(NULL, "x"), -EINVAL);
}

START_TEST(a_struct_of_another_size_is_told)
{
    struct steal_properties properties = {.task_size = 8};
    struct steal_statistics statistics = {0};
    struct steal_collection *never = NULL;
    struct steal_balance balance = {0};
    struct steal_report report = {0};

    lone_open((struct steal_properties){.retain = STEAL_RETENTION_SEEDED});
    expect_told(steal_collection_create(lone.runtime, &properties, &never),
                "the size of struct steal_properties is not set: it is sizeof(struct "
                "steal_properties)");
    properties.size = offsetof(struct steal_properties, storage) - 8;
    expect_told(steal_collection_create(lone.runtime, &properties, &never),
                "in any version of the library: compile the program with this version's header");
    properties.size = sizeof(properties) + 8;
    expect_told(steal_collection_create(lone.runtime, &properties, &never),
                "in the library: compile the program with this version's header");
    properties.size = sizeof(properties) - 4;
    expect_told(steal_collection_create(lone.runtime, &properties, &never), "bytes in the program");
    properties.size = sizeof(properties);
    properties.balance.size = 4;
    expect_told(steal_collection_create(lone.runtime, &properties, &never),
                "struct steal_balance has 4 bytes in the program");
    ck_assert_ptr_null(never);
    expect_told(steal_rebalance(lone.collection, &balance), "the size of struct steal_balance");
    expect_told(steal_statistics_rank(lone.collection, &statistics),
                "the size of struct steal_statistics");
    expect_told(steal_statistics_sum(lone.collection, &statistics),
                "the size of struct steal_statistics");
    expect_told(steal_report(lone.collection, &report), "the size of struct steal_report");
    STEAL_INIT(&statistics);
    STEAL_INIT(&balance);
    expect_forgotten(steal_rebalance(lone.collection, &balance));
    expect_forgotten(steal_statistics_sum(lone.collection, &statistics));
    ck_assert_uint_eq(statistics.size, sizeof(statistics));
    lone_close();
}

/* A program that was compiled before there was storage has this struct: the bytes after it do
 * not belong to it. */
START_TEST(a_struct_of_an_older_version_has_the_defaults_of_what_it_lacks)
{
    struct {
        unsigned char bytes[offsetof(struct steal_properties, storage)];
        uint64_t behind[8];
    } old;
    struct steal_properties properties = {.size = sizeof(old.bytes), .task_size = 8, .batch = 3};
    struct steal_collection *collection;
    struct steal_error error = {""};

    lone_open((struct steal_properties){0});
    ck_assert_int_eq(steal_function_register(lone.runtime, "x", lone_nothing, &properties.function),
                     0);
    memset(&old, 0xff, sizeof(old));
    memcpy(old.bytes, &properties, sizeof(old.bytes));
    ck_assert_int_eq(steal_properties_parse((struct steal_properties *)&old, "lifelines=1", &error),
                     0);
    ck_assert_uint_eq(old.behind[0], UINT64_MAX);
    memcpy(&properties, old.bytes, sizeof(old.bytes));
    ck_assert_int_eq(properties.lifelines, 1);
    ck_assert_uint_eq(properties.size, sizeof(old.bytes));
    ck_assert_int_eq(
        steal_collection_create(lone.runtime, (const struct steal_properties *)&old, &collection),
        0);
    ck_assert_uint_eq(collection->properties.batch, 3);
    ck_assert_uint_eq(collection->properties.storage, 0);
    ck_assert_uint_eq(collection->properties.size, sizeof(properties));
    steal_collection_destroy(collection);
    lone_close();
}

START_TEST(a_commit_beyond_the_reservation_is_refused)
{
    void *room;

    lone_open((struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    steal_commit(seeder, lone.collection, 1);
    ck_assert_str_eq(message(), "steal_commit() of 1 tasks: no reservation is open");
    expect_forgotten(steal_reserve(seeder, lone.collection, 4, &room));
    memset(room, 0, 4 * sizeof(uint64_t));
    steal_commit(seeder, lone.collection, 9);
    ck_assert_str_eq(message(),
                     "steal_commit() of 9 tasks is refused: the reservation has room for 4");
    ck_assert_int_eq(steal_process(lone.collection), -EBUSY);
    ck_assert_str_eq(message(), "a reservation of 4 tasks in collection 1 of 'play' is open: "
                                "steal_commit() of 9 was refused");
    ck_assert_uint_eq(lone.count, 0);
    steal_commit(seeder, lone.collection, 4);
    expect_forgotten(steal_process(lone.collection));
    ck_assert_uint_eq(lone.count, 4);
    lone_close();
}

static void commit_too_many(struct steal_worker *worker, void *local, const void *tasks,
                            size_t count)
{
    void *room;

    (void)local, (void)tasks, (void)count;
    ck_assert_int_eq(steal_reserve(worker, lone.collection, 2, &room), 0);
    steal_commit(worker, lone.collection, 3);
}

START_TEST(a_task_whose_commit_is_refused_is_told)
{
    lone_open_function((struct steal_properties){0}, NULL, commit_too_many);
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), -EBUSY);
    ck_assert_str_eq(message(), "a task of 'play' ended with an open reservation of 2 tasks in "
                                "collection 1 of 'play': steal_commit() of 3 was refused");
    lone_close();
}

SUITE("steal messages")
