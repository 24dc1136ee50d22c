/* SPDX-License-Identifier: BSD-3-Clause */
/* The workers' storage on one rank: which worker has which, its first contents, and the results
 * of reductions. */
#include "tests/lib/lone.h"
#include "tests/lib/suite.h"

#include <errno.h>
#include <string.h>

enum { TASKS = 5000 };

struct sums {
    int64_t tasks;
    double weight;
    struct steal_arg least;
    struct steal_arg_double most;
};

static const struct sums initial = {.least = {INT64_MAX, -1}, .most = {-1e300, -1}};

static const struct steal_properties with_storage = {
    .storage = sizeof(struct sums), .storage_initial = &initial, .tasks = 8192};

/* Values in no order; 0 comes twice. */
static int64_t value_of(uint64_t task)
{
    return (int64_t)(task * 7919 % (TASKS - 1));
}

static void sum_up(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct sums *sums = steal_storage(worker, lone.collection);
    const uint64_t *task = tasks;

    (void)local;
    for (size_t i = 0; i < count; i++) {
        const int64_t value = value_of(task[i]), where = (int64_t)task[i];

        sums->tasks++;
        sums->weight += (double)value;
        if (value < sums->least.value || (value == sums->least.value && where < sums->least.where))
            sums->least = (struct steal_arg){value, where};
        if ((double)value > sums->most.value ||
            ((double)value == sums->most.value && where < sums->most.where))
            sums->most = (struct steal_arg_double){(double)value, where};
    }
}

static void process_tasks(void)
{
    for (uint64_t task = 0; task < TASKS; task++)
        ck_assert_int_eq(
            steal_add(steal_seeder(lone.runtime), lone.collection, &task, sizeof(task)), 0);
    ck_assert_int_eq(steal_process(lone.collection), 0);
}

static void reduce(enum steal_reduction reduction, size_t offset, void *result)
{
    ck_assert_int_eq(steal_reduce(lone.collection, reduction, offset, 1, result), 0);
}

static void expect_sums(void)
{
    struct steal_arg_double most;
    struct steal_arg least;
    int64_t tasks;
    double weight;

    reduce(STEAL_REDUCTION_SUM, offsetof(struct sums, tasks), &tasks);
    reduce(STEAL_REDUCTION_SUM_DOUBLE, offsetof(struct sums, weight), &weight);
    reduce(STEAL_REDUCTION_ARGMIN, offsetof(struct sums, least), &least);
    reduce(STEAL_REDUCTION_ARGMAX_DOUBLE, offsetof(struct sums, most), &most);
    ck_assert_int_eq(tasks, TASKS);
    ck_assert_double_eq(weight, (double)(TASKS - 1) * (TASKS - 2) / 2);
    ck_assert_int_eq(least.value, 0);
    ck_assert_int_eq(least.where, 0);
    ck_assert_double_eq(most.value, TASKS - 2);
    ck_assert_int_eq(value_of((uint64_t)most.where), TASKS - 2);
}

START_TEST(workers_sums_become_one)
{
    lone_open_function(with_storage, NULL, sum_up);
    process_tasks();
    expect_sums();
    lone_close();
    lone_open_function(with_storage, &lone_threads, sum_up);
    process_tasks();
    expect_sums();
    ck_assert_int_eq(steal_storage_clear(lone.collection), 0);
    process_tasks();
    expect_sums();
    lone_close();
}

START_TEST(storage_is_each_workers_own_and_as_it_should_be_at_first)
{
    lone_open_function(with_storage, &lone_threads, sum_up);
    for (int i = 0; i < LONE_WORKERS; i++) {
        struct sums *sums = steal_storage(&lone.runtime->worker[i], lone.collection);

        ck_assert_uint_eq((uintptr_t)sums % 64, 0);
        ck_assert_mem_eq(sums, &initial, sizeof(initial));
        sums->tasks = 10 + i;
    }
    ck_assert_ptr_eq(steal_storage(steal_seeder(lone.runtime), lone.collection),
                     steal_storage(&lone.runtime->worker[0], lone.collection));
    ck_assert_ptr_null(steal_storage(&lone.runtime->worker[LONE_WORKERS], lone.collection));
    ck_assert_int_eq(steal_storage_clear(lone.collection), 0);
    for (int i = 0; i < LONE_WORKERS; i++)
        ck_assert_mem_eq(steal_storage(&lone.runtime->worker[i], lone.collection), &initial,
                         sizeof(initial));
    lone_close();
}

/* Appends the numbers of workers as the digits of one number. */
static void append(void *context, void *into, const void *from)
{
    struct sums *first = into;
    const struct sums *second = from;

    first->tasks = first->tasks * *(const int *)context + second->tasks;
}

START_TEST(the_programs_function_combines_in_the_order_of_workers)
{
    struct sums result;
    int base = 10;

    lone_open_function(with_storage, &lone_threads, sum_up);
    for (int i = 0; i < LONE_WORKERS; i++)
        ((struct sums *)steal_storage(&lone.runtime->worker[i], lone.collection))->tasks = i + 1;
    ck_assert_int_eq(steal_reduce_with(lone.collection, append, &base, &result), 0);
    ck_assert_int_eq(result.tasks, 123);
    reduce(STEAL_REDUCTION_MIN, 0, &result.tasks);
    ck_assert_int_eq(result.tasks, 1);
    reduce(STEAL_REDUCTION_MAX, 0, &result.tasks);
    ck_assert_int_eq(result.tasks, 3);
    lone_close();
}

static void expect_lines(void *context, void *into, const void *from)
{
    (void)context;
    ck_assert_uint_eq((uintptr_t)into % 64, 0);
    ck_assert_uint_eq((uintptr_t)from % 64, 0);
    append(&(int){10}, into, from);
}

/* The function also gets aligned copies of the storage of an earlier run, which belongs to no
 * worker of this one. */
START_TEST(the_programs_function_is_given_lines)
{
    const struct sums others[] = {{.tasks = 1}, {.tasks = 2}, {.tasks = 3}, {.tasks = 4}};
    struct sums result;

    lone_open_function(with_storage, NULL, sum_up);
    for (size_t i = 0; i < ARRAY_COUNT(others); i++)
        ck_assert_int_eq(storage_add(lone.collection->storage, &others[i]), 0);
    ck_assert_int_eq(steal_reduce_with(lone.collection, expect_lines, NULL, &result), 0);
    ck_assert_int_eq(result.tasks, 1234);
    lone_close();
}

START_TEST(what_cannot_be_reduced_is_told)
{
    struct sums sums;

    lone_open_function((struct steal_properties){0}, NULL, sum_up);
    ck_assert_ptr_null(steal_storage(steal_seeder(lone.runtime), lone.collection));
    lone_expect_error(steal_reduce(lone.collection, STEAL_REDUCTION_SUM, 0, 1, &sums), -EINVAL,
                      "the collection was created without storage");
    lone_expect_error(steal_storage_clear(lone.collection), -EINVAL,
                      "the collection was created without storage");
    lone_close();
    lone_open_function(with_storage, NULL, sum_up);
    lone_expect_error(steal_reduce(lone.collection, STEAL_REDUCTION_SUM, 4, 1, &sums), -EINVAL,
                      "offset must be a multiple of 8, not 4");
    lone_expect_error(steal_reduce(lone.collection, STEAL_REDUCTION_ARGMIN, 8, 3, &sums), -EINVAL,
                      "48 bytes from offset 8 on are beyond the storage of 48 bytes");
    lone_expect_error(
        steal_reduce(lone.collection, STEAL_REDUCTION_SUM, 0, SIZE_MAX / 4, &sums), -EINVAL,
        "18446744073709551615 bytes from offset 0 on are beyond the storage of 48 bytes");
    lone_expect_error(steal_reduce(lone.collection, (enum steal_reduction)10, 0, 1, &sums), -EINVAL,
                      "reduction 10 does not exist");
    lone_expect_error(steal_reduce(lone.collection, STEAL_REDUCTION_SUM, 0, 1, NULL), -EINVAL,
                      "result is NULL");
    lone_expect_error(steal_reduce_with(lone.collection, NULL, NULL, &sums), -EINVAL,
                      "combine is NULL");
    ck_assert_int_eq(steal_reduce(NULL, STEAL_REDUCTION_SUM, 0, 1, &sums), -EINVAL);
    ck_assert_int_eq(steal_reduce_with(NULL, append, NULL, &sums), -EINVAL);
    ck_assert_int_eq(steal_storage_clear(NULL), -EINVAL);
    ck_assert_ptr_null(steal_storage(NULL, lone.collection));
    ck_assert_ptr_null(steal_storage(steal_seeder(lone.runtime), NULL));
    lone_close();
}

SUITE("steal storage")
