/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls at the wrong time, from within tasks, with open reservations or of another runtime. */
#include "tests/lib/lone.h"
#include "tests/lib/suite.h"

#include "tools/steal-sim/network.h"

#include <errno.h>
#include <setjmp.h>
#include <string.h>

static struct steal_collection *other; /* a collection of the same tasks */
static int nested, through_seeder;

static void create_other(void)
{
    const struct steal_properties properties = LONE_PROPERTIES();

    ck_assert_int_eq(steal_collection_create(lone.runtime, &properties, &other), 0);
}

/* Cancels, and tries calls that a task must not make. */
static void cancel_third(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    lone_note(worker, local, tasks, count);
    if (lone.count != 3)
        return;
    nested = steal_collection_destroy(lone.collection);
    ck_assert_int_eq(steal_cancel(other), -EINVAL);
    ck_assert_int_eq(steal_cancel(lone.collection), 0);
}

START_TEST(canceling_drops_what_is_left)
{
    lone_open_function((struct steal_properties){0}, NULL, cancel_third);
    create_other();
    for (uint64_t task = 1; task <= 10; task++)
        lone_add(task);
    ck_assert_int_eq(steal_process(lone.collection), -ECANCELED);
    lone_expect_message("canceled by rank 0");
    ck_assert_uint_eq(lone.count, 3);
    ck_assert_int_eq(nested, -EBUSY);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_uint_eq(lone.count, 3);
    ck_assert_int_eq(steal_collection_destroy(other), 0);
    lone_close();
}

START_TEST(open_reservation_refuses_others)
{
    void *room;

    lone_open((struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    ck_assert_int_eq(steal_reserve(seeder, lone.collection, 0, &room), -EINVAL);
    ck_assert_int_eq(steal_reserve(seeder, lone.collection, 1025, &room), -EINVAL);
    ck_assert_int_eq(steal_reserve(seeder, lone.collection, 2, &room), 0);
    ck_assert_int_eq(lone_try_add(1), -EBUSY);
    lone_expect_worker_message(seeder, "reservation of 2 tasks is not committed");
    steal_commit(seeder, lone.collection, 0);
    lone_add(1);
    lone_close();
}

/* Reserves in the other collection, if there is one, or in its own, and does not commit. */
static void reserve_and_forget(struct steal_worker *worker, void *local, const void *tasks,
                               size_t count)
{
    void *room;

    (void)local, (void)tasks, (void)count;
    if (lone.count++ == 0)
        ck_assert_int_eq(steal_reserve(worker, other ? other : lone.collection, 3, &room), 0);
}

static void expect_exposed(const struct steal_options *options, bool elsewhere, const char *part)
{
    lone_open_function((struct steal_properties){0}, options, reserve_and_forget);
    if (elsewhere)
        create_other();
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), -EBUSY);
    lone_expect_message(part);
    ck_assert_uint_eq(lone.count, 1);
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_uint_eq(lone.count, 2);
    ck_assert_int_eq(steal_collection_destroy(other), 0);
    other = NULL;
    lone_close();
}

START_TEST(a_task_that_leaves_a_reservation_open_is_told)
{
    expect_exposed(NULL, false,
                   "a task of 'play' ended with an open reservation of 3 tasks in collection 1 of "
                   "'play': steal_commit() is missing");
    expect_exposed(NULL, true, "of 3 tasks in collection 2 of 'play'");
    expect_exposed(&lone_threads, false, "of 3 tasks in collection 1 of 'play'");
    expect_exposed(&lone_threads, true, "of 3 tasks in collection 2 of 'play'");
}

START_TEST(an_open_reservation_of_the_seeder_is_told_by_what_would_lose_it)
{
    void *room;

    lone_open((struct steal_properties){.retain = 1});
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(steal_reserve(steal_seeder(lone.runtime), lone.collection, 2, &room), 0);
    ck_assert_int_eq(steal_process(lone.collection), -EBUSY);
    lone_expect_message(
        "a reservation of 2 tasks in collection 1 of 'play' is open: steal_commit() is missing");
    ck_assert_int_eq(steal_restore(lone.collection), -EBUSY);
    lone_expect_message("steal_commit() is missing");
    ck_assert_int_eq(steal_rebalance(lone.collection, NULL), -EBUSY);
    steal_commit(steal_seeder(lone.runtime), lone.collection, 0);
    ck_assert_int_eq(steal_rebalance(lone.collection, NULL), 0);
    lone_close();
}

START_TEST(a_runtime_with_collections_is_not_destroyed)
{
    lone_open((struct steal_properties){0});
    ck_assert_int_eq(steal_runtime_destroy(lone.runtime), -EBUSY);
    lone_expect_message("collection 1 of 'play' is not destroyed");
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_uint_eq(lone.count, 1);
    ck_assert_int_eq(steal_collection_destroy(lone.collection), 0);
    ck_assert_int_eq(steal_runtime_destroy(lone.runtime), 0);
    network_close(lone.network);
}

START_TEST(collection_of_another_runtime_is_refused)
{
    uint64_t task = 1;

    lone_open((struct steal_properties){0});
    struct lone there = lone;
    lone_open((struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    ck_assert_int_eq(steal_add(seeder, there.collection, &task, sizeof(task)), -EINVAL);
    lone_expect_worker_message(seeder, "belongs to another runtime");
    /* A worker of a runtime with many more workers. */
    struct steal_worker far = *seeder;
    void *room;
    far.index = 1 << 24;
    ck_assert_int_eq(steal_add(&far, there.collection, &task, sizeof(task)), -EINVAL);
    ck_assert_int_eq(steal_add_level(&far, there.collection, 0, &task, sizeof(task)), -EINVAL);
    ck_assert_int_eq(steal_add_weighted(&far, there.collection, 1, &task, sizeof(task)), -EINVAL);
    ck_assert_int_eq(steal_add_waiting(&far, there.collection, 1, 1, &task, sizeof(task)), -EINVAL);
    ck_assert_int_eq(steal_count_down(&far, there.collection, 1), -EINVAL);
    ck_assert_int_eq(steal_reserve(&far, there.collection, 1, &room), -EINVAL);
    ck_assert_ptr_null(steal_storage(&far, there.collection));
    ck_assert_int_eq(steal_add(&far, NULL, &task, sizeof(task)), -EINVAL);
    lone_expect_worker_message(&far, "the collection is NULL");
    steal_commit(&far, there.collection, 1);
    lone_expect_worker_message(&far, "belongs to another runtime");
    lone_close();
    lone = there;
    lone_close();
}

START_TEST(restore_in_the_wrong_order_is_refused)
{
    lone_open((struct steal_properties){0});
    ck_assert_int_eq(steal_restore(lone.collection), -EINVAL);
    lone_expect_message("without retain");
    lone_close();

    lone_open((struct steal_properties){.retain = 1});
    ck_assert_int_eq(steal_restore(lone.collection), -EBUSY);
    lone_expect_message("no steal_process() has ended");
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(steal_restore(lone.collection), 0);
    ck_assert_int_eq(steal_restore(lone.collection), -EBUSY);
    lone_close();
}

static void nest(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    uint64_t task = 1;

    (void)worker, (void)local, (void)tasks, (void)count;
    nested = steal_process(lone.collection);
    lone_expect_message("steal_process() from within a task");
    ck_assert_int_eq(steal_process_for(lone.collection, 1), -EBUSY);
    lone_expect_message("steal_process_for() from within a task");
    ck_assert_int_eq(steal_reduce_with(lone.collection, NULL, NULL, NULL), -EBUSY);
    lone_expect_message("steal_reduce_with() from within a task");
    through_seeder = lone_try_add(task);
}

/* The ranks would have different functions afterwards, and other threads read the table. */
static void register_late(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    steal_function function;

    (void)worker, (void)local, (void)tasks, (void)count;
    ck_assert_int_eq(steal_function_register(lone.runtime, "late", lone_nothing, &function),
                     -EBUSY);
    lone_expect_message("steal_function_register() from within a task");
}

START_TEST(tasks_cannot_register_functions)
{
    steal_function function;

    lone_open_function((struct steal_properties){0}, NULL, register_late);
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(steal_function_register(lone.runtime, "late", lone_nothing, &function), 0);
    lone_close();
}

START_TEST(tasks_cannot_call_collective_functions)
{
    lone_open_function((struct steal_properties){0}, NULL, nest);
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(nested, -EBUSY);
    ck_assert_int_eq(through_seeder, -EBUSY);
    /* The task has continued, and the call that it was part of succeeded. */
    ck_assert_str_eq(steal_message(lone.runtime), "");
    lone_expect_worker_message(steal_seeder(lone.runtime), "not the seeder");
    lone_close();
}

static jmp_buf out;

static void leap(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
    longjmp(out, 1);
}

START_TEST(a_rank_that_jumped_out_of_a_task_is_refused_and_does_not_crash)
{
    lone_open_function((struct steal_properties){0}, NULL, leap);
    lone_add(1);
    if (setjmp(out) == 0)
        ck_abort_msg("%d", steal_process(lone.collection));
    ck_assert_int_eq(steal_process(lone.collection), -EBUSY);
    lone_expect_message("steal_process() from within a task");
    ck_assert_int_eq(steal_collection_destroy(lone.collection), -EBUSY);
    ck_assert_int_eq(steal_runtime_destroy(lone.runtime), -EBUSY);
}

SUITE("steal interface: calls")
