/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound of a collection on one rank: its kinds, its threads, and which calls are refused. */
#include "tests/lib/lone.h"
#include "tests/lib/suite.h"

#include <errno.h>
#include <math.h>

enum { TASKS = 20000 };

START_TEST(each_kind_keeps_the_best)
{
    lone_open((struct steal_properties){.bound = STEAL_BOUND_MIN});
    ck_assert_int_eq(steal_bound(lone.collection), INT64_MAX);
    ck_assert_int_eq(steal_bound_improve(lone.collection, 5), 1);
    ck_assert_int_eq(steal_bound_improve(lone.collection, 5), 0);
    ck_assert_int_eq(steal_bound_improve(lone.collection, 6), 0);
    ck_assert_int_eq(steal_bound_improve(lone.collection, -7), 1);
    ck_assert_int_eq(steal_bound(lone.collection), -7);
    lone_close();
    lone_open((struct steal_properties){.bound = STEAL_BOUND_MAX});
    ck_assert_int_eq(steal_bound(lone.collection), INT64_MIN);
    ck_assert_int_eq(steal_bound_improve(lone.collection, -7), 1);
    ck_assert_int_eq(steal_bound_improve(lone.collection, -8), 0);
    ck_assert_int_eq(steal_bound_improve(lone.collection, INT64_MAX), 1);
    ck_assert_int_eq(steal_bound(lone.collection), INT64_MAX);
    lone_close();
    lone_open((struct steal_properties){.bound = STEAL_BOUND_MIN_DOUBLE});
    ck_assert(steal_bound_double(lone.collection) == (double)INFINITY);
    ck_assert_int_eq(steal_bound_improve_double(lone.collection, 0.5), 1);
    ck_assert_int_eq(steal_bound_improve_double(lone.collection, 0.25), 1);
    ck_assert_int_eq(steal_bound_improve_double(lone.collection, -1e300), 1);
    ck_assert_int_eq(steal_bound_improve_double(lone.collection, 0.0), 0);
    ck_assert(steal_bound_double(lone.collection) == -1e300);
    lone_close();
    lone_open((struct steal_properties){.bound = STEAL_BOUND_MAX_DOUBLE});
    ck_assert(steal_bound_double(lone.collection) == (double)-INFINITY);
    ck_assert_int_eq(steal_bound_improve_double(lone.collection, -3.5), 1);
    ck_assert_int_eq(steal_bound_improve_double(lone.collection, -4), 0);
    ck_assert_int_eq(steal_bound_improve_double(lone.collection, INFINITY), 1);
    ck_assert(steal_bound_double(lone.collection) == (double)INFINITY);
    lone_close();
}

START_TEST(what_has_no_bound_refuses)
{
    lone_open((struct steal_properties){0});
    ck_assert_int_eq(steal_bound_improve(lone.collection, 1), -EINVAL);
    ck_assert_int_eq(steal_bound_improve_double(lone.collection, 1), -EINVAL);
    ck_assert_int_eq(steal_bound(lone.collection), 0);
    ck_assert(steal_bound_double(lone.collection) == 0);
    lone_close();
    lone_open((struct steal_properties){.bound = STEAL_BOUND_MIN_DOUBLE});
    ck_assert_int_eq(steal_bound_improve(lone.collection, 1), -EINVAL);
    ck_assert_int_eq(steal_bound_improve_double(lone.collection, NAN), -EINVAL);
    ck_assert_int_eq(steal_bound(lone.collection), 0);
    lone_close();
    lone_open((struct steal_properties){.bound = STEAL_BOUND_MIN});
    ck_assert_int_eq(steal_bound_improve_double(lone.collection, 1), -EINVAL);
    lone_close();
    ck_assert_int_eq(steal_bound(NULL), 0);
    ck_assert(steal_bound_double(NULL) == 0);
    ck_assert_int_eq(steal_bound_improve(NULL, 1), -EINVAL);
    ck_assert_int_eq(steal_bound_improve_double(NULL, 1), -EINVAL);
}

/* The bound stays after processing. */
START_TEST(a_bound_lives_as_long_as_its_collection)
{
    lone_open((struct steal_properties){.bound = STEAL_BOUND_MAX});
    lone_add(1);
    ck_assert_int_eq(steal_bound_improve(lone.collection, 3), 1);
    lone_process();
    ck_assert_int_eq(steal_bound(lone.collection), 3);
    lone_close();
}

START_TEST(collections_beyond_the_cells_have_bounds_too)
{
    enum { COLLECTIONS = BOUND_CELLS + 3 };
    struct steal_collection *collection[COLLECTIONS];
    const struct steal_properties properties = LONE_PROPERTIES(.tasks = 1,
                                                               .bound = STEAL_BOUND_MAX);

    lone_open((struct steal_properties){0});
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COLLECTIONS; i++) {
            ck_assert_int_eq(steal_collection_create(lone.runtime, &properties, &collection[i]), 0);
            ck_assert_int_eq(collection[i]->bound->shared_cell >= 0, i < BOUND_CELLS);
            ck_assert_int_eq(steal_bound(collection[i]), INT64_MIN);
        }
        for (int i = 0; i < COLLECTIONS; i++)
            ck_assert_int_eq(steal_bound_improve(collection[i], i), 1);
        for (int i = 0; i < COLLECTIONS; i++)
            ck_assert_int_eq(steal_bound(collection[i]), i);
        for (int i = 0; i < COLLECTIONS; i++)
            ck_assert_int_eq(steal_collection_destroy(collection[i]), 0);
    }
    lone_close();
}

/* Each task offers its number as a bound; the bound that it reads never gets worse. */
static void tell(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const uint64_t *task = tasks;

    (void)worker, (void)local;
    for (size_t i = 0; i < count; i++) {
        const int64_t value = (int64_t)(task[i] * 7919 % TASKS);
        const int64_t before = steal_bound(lone.collection);
        const int improved = steal_bound_improve(lone.collection, value);

        REQUIRE(improved >= 0, "refused");
        REQUIRE(steal_bound(lone.collection) >= value, "the bound is worse than what was told");
        REQUIRE(steal_bound(lone.collection) >= before, "the bound got worse");
    }
}

START_TEST(threads_share_a_bound)
{
    const struct steal_options options = {
        .size = sizeof(options), .mode = STEAL_MODE_THREADS, .workers = 4};

    lone_open_function((struct steal_properties){.bound = STEAL_BOUND_MAX}, &options, tell);
    for (uint64_t task = 0; task < TASKS; task++)
        lone_add(task);
    lone_process();
    ck_assert_int_eq(steal_bound(lone.collection), TASKS - 1);
    lone_close();
}

SUITE("steal bounds")
