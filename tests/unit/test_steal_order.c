/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels and costs on one rank: which task comes first, which tasks a thief gets, and which
 * calls are refused. */
#include "tests/lib/lone.h"
#include "tests/lib/suite.h"

#include "libjuggle/ground/prng.h"
#include "libjuggle/steal/runtime/tiers.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_level(int level, uint64_t task)
{
    ck_assert_int_eq(
        steal_add_level(steal_seeder(lone.runtime), lone.collection, level, &task, sizeof(task)),
        0);
}

static void add_weighted(int64_t cost, uint64_t task)
{
    ck_assert_int_eq(
        steal_add_weighted(steal_seeder(lone.runtime), lone.collection, cost, &task, sizeof(task)),
        0);
}

START_TEST(the_best_level_comes_first)
{
    const uint64_t expected[] = {13, 3, 12, 2, 21, 11, 1};

    lone_open((struct steal_properties){.levels = 3});
    for (uint64_t i = 1; i <= 3; i++)
        add_level(3 - (int)i, i);
    for (uint64_t i = 1; i <= 3; i++)
        add_level(3 - (int)i, 10 + i);
    lone_add(21); /* belongs to the last level */
    lone_process();
    lone_expect_seen(expected, ARRAY_COUNT(expected));
    lone_close();
}

START_TEST(the_longest_come_first)
{
    const int64_t costs[] = {5000, 100, 1 << 20, 300, 90000, 0, INT64_MAX, 2000};
    const uint64_t expected[] = {6, 2, 4, 0, 7, 3, 1, 9, 5};

    for (int retain = 0; retain < 2; retain++) {
        lone_open((struct steal_properties){.weighted = 1, .retain = (enum steal_retention)retain});
        for (uint64_t i = 0; i < ARRAY_COUNT(costs); i++)
            add_weighted(costs[i], i);
        if (retain == 0)
            lone_add(9); /* costs nothing */
        lone_process();
        if (retain == 0)
            lone_expect_seen(expected, ARRAY_COUNT(expected));
        else
            ck_assert_mem_eq(lone.seen, expected, 7 * sizeof(expected[0]));
        lone_close();
    }
}

/* Whatever cost was given when they were added: each task takes 1000 ns times its number. */
START_TEST(what_was_measured_comes_first_next_time)
{
    const uint64_t expected[] = {40, 30, 25, 20, 12, 7};

    lone_open((struct steal_properties){.weighted = 1, .retain = STEAL_RETENTION_SEEDED});
    lone.factor_ns = 1000;
    for (size_t i = 0; i < ARRAY_COUNT(expected); i++)
        add_weighted((int64_t)(100 << i), expected[i]);
    lone_process();
    ck_assert_uint_eq(lone.seen[0], 7);
    lone_restore_and_process();
    lone_expect_seen(expected, ARRAY_COUNT(expected));
    lone_close();
}

/* Each of the two tasks fits, but not into the tier into which all tasks are sorted. */
START_TEST(a_tier_that_is_full_loses_nothing)
{
    const struct steal_options threads = {
        .size = sizeof(struct steal_options), .mode = STEAL_MODE_THREADS, .workers = 1};

    for (int mode = 0; mode < 2; mode++) {
        lone_open_function(
            (struct steal_properties){
                .weighted = 1, .retain = STEAL_RETENTION_SEEDED, .tasks = 2, .memory_max = 48},
            mode ? &threads : NULL, lone_note);
        add_weighted(1000, 1);
        add_weighted(1000, 2);
        /* A thread may have executed one or both tasks before it learns that no time is left. */
        const int result = steal_process_for(lone.collection, 0);
        const size_t before_count = lone.count;
        ck_assert(result == STEAL_STOPPED || (mode && result == 0));
        ck_assert(before_count == 0 || mode);
        add_weighted(1000, 3);
        lone_process();
        ck_assert_uint_eq(before_count + lone.count, 3);
        lone_close();
    }
}

START_TEST(a_full_tier_says_what_it_holds)
{
    const uint64_t task = 1;

    lone_open((struct steal_properties){.levels = 2, .tasks = 16, .memory_max = 16 * 8});
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(steal_add_level(steal_seeder(lone.runtime), lone.collection, 0, &task, 8),
                         0);
    ck_assert_int_eq(steal_add_level(steal_seeder(lone.runtime), lone.collection, 0, &task, 8),
                     -ENOSPC);
    lone_expect_message("the deque is full: 16 tasks");
    ck_assert_int_eq(steal_add_level(steal_seeder(lone.runtime), lone.collection, 1, &task, 8), 0);
    lone_process();
    lone_close();
}

/* The costs that a ledger knows are used at once for tasks that are added anew; task 25, which
 * it does not know, counts as the average. */
START_TEST(what_a_ledger_knows_is_used_at_once)
{
    const uint64_t first[] = {12, 7, 40, 20}, expected[] = {40, 25, 20, 12, 7};
    char path[] = "/tmp/steal-order.XXXXXXtmp";
    int fd = mkstemps(path, 3);

    ck_assert_int_ge(fd, 0);
    lone_open((struct steal_properties){
        .weighted = 1, .retain = STEAL_RETENTION_SEEDED, .key = lone_key});
    lone.factor_ns = 1000;
    for (size_t i = 0; i < ARRAY_COUNT(first); i++)
        lone_add(first[i]);
    lone_process();
    ck_assert_int_eq(steal_ledger_save(lone.collection, path), 0);
    for (size_t i = 0; i < ARRAY_COUNT(first); i++)
        lone_add(first[i]);
    lone_add(25);
    ck_assert_int_eq(steal_ledger_load(lone.collection, path), 0);
    lone_process();
    /* The average, 19.75, differs from 20 by less than a quarter. */
    ck_assert_uint_eq(lone.count, 5);
    ck_assert_uint_eq(lone.seen[0], expected[0]);
    ck_assert(lone.seen[1] + lone.seen[2] == 45);
    ck_assert_mem_eq(&lone.seen[3], &expected[3], 2 * sizeof(expected[0]));
    lone_close();
    close(fd);
    unlink(path);
}

static void add_three(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const uint64_t added[] = {7, 40, 12};

    (void)local, (void)tasks, (void)count;
    for (size_t i = 0; i < ARRAY_COUNT(added); i++)
        ck_assert_int_eq(steal_add(worker, lone.collection, &added[i], sizeof(added[i])), 0);
}

/* As in a pipeline of two collections, whose tasks are added anew in each iteration. */
START_TEST(what_tasks_of_another_collection_add_is_sorted_by_what_is_known)
{
    const uint64_t expected[] = {40, 12, 7};
    struct steal_properties properties = {.size = sizeof(properties),
                                          .task_size = sizeof(uint64_t)};
    struct steal_collection *other;

    lone_open(
        (struct steal_properties){.weighted = 1, .retain = STEAL_RETENTION_ALL, .key = lone_key});
    lone.factor_ns = 1000;
    ck_assert_int_eq(
        steal_function_register(lone.runtime, "add three", add_three, &properties.function), 0);
    ck_assert_int_eq(steal_collection_create(lone.runtime, &properties, &other), 0);
    for (uint64_t iteration = 0; iteration < 2; iteration++) {
        ck_assert_int_eq(
            steal_add(steal_seeder(lone.runtime), other, &iteration, sizeof(iteration)), 0);
        ck_assert_int_eq(steal_process(other), 0);
        ck_assert_int_eq(steal_rebalance(lone.collection, NULL), 0);
        lone_process();
    }
    lone_expect_seen(expected, ARRAY_COUNT(expected));
    ck_assert_int_eq(lone_statistics().tasks_predicted, ARRAY_COUNT(expected));
    steal_collection_destroy(other);
    lone_close();
}

/* ---- parts --------------------------------------------------------------------------------- */

static void put(struct tiers *tiers, int64_t cost)
{
    const int tier = tiers_place(tiers, 0, cost);
    int64_t *room = deque_reserve(&tiers->deque[tier], 1);

    *room = cost;
    deque_commit(&tiers->deque[tier], 1);
    tiers_occupy(tiers, tier);
}

/* Takes all packed tasks out of `room`; returns the sum of their costs. */
static int64_t unpack(const unsigned char *room, uint32_t count, int64_t *longest)
{
    int64_t sum = 0;

    for (uint32_t done = 0; done < count;) {
        struct tiers_run run;

        memcpy(&run, room, sizeof(run));
        room += sizeof(run);
        for (uint32_t i = 0; i < run.count; i++, room += sizeof(int64_t)) {
            int64_t cost;

            memcpy(&cost, room, sizeof(cost));
            sum += cost;
            *longest = max_i64(*longest, cost);
        }
        done += run.count;
    }
    return sum;
}

/* Half of the work, up to half of a task and to the quarter by which costs of one class differ. */
START_TEST(half_is_half_of_the_work)
{
    static unsigned char room[1 << 16];
    static struct tiers_claims claims;
    const struct steal_properties properties = {
        .weighted = 1, .levels = 1, .tasks = 64, .memory_max = 1 << 20};

    for (uint64_t seed = 0; seed < 200; seed++) {
        struct tiers tiers = {0};
        struct tiers_part part = {.fraction = 0.5};
        int64_t sum = 0, longest = 0, given_longest = 0, given;
        struct prng prng;
        uint32_t count;

        prng_seed(&prng, seed);
        ck_assert_int_eq(tiers_open(&tiers, &properties, sizeof(int64_t)), 0);
        for (uint64_t i = 0; i < 2 + seed % 50; i++) {
            const int64_t cost = 64 + (int64_t)exp(15 * prng_unit(&prng));

            put(&tiers, cost);
            sum += cost;
            longest = max_i64(longest, cost);
        }
        ck_assert_uint_eq(tiers_count(&tiers), 2 + seed % 50);
        tiers_claim(&tiers, true, &part, &claims);
        tiers_pack(&tiers, &claims, room, sizeof(room), &count);
        ck_assert_uint_eq(claims.left, 0);
        given = unpack(room, count, &given_longest);
        tiers_complete(&tiers, &claims);
        ck_assert_uint_eq(tiers_count(&tiers) + count, 2 + seed % 50);
        /* The given part has a task of the class of the longest. */
        ck_assert_int_ge(5 * given_longest, 4 * longest);
        /* The given part is off by half of the longest task, or by the difference within a
         * class. */
        ck_assert_msg(llabs(2 * given - sum) <= longest + sum / 4,
                      "seed %" PRIu64 ": %" PRId64 " of %" PRId64 ", the longest %" PRId64, seed,
                      given, sum, longest);
        tiers_close(&tiers);
    }
}

START_TEST(costs_of_a_class_are_alike_within_a_quarter)
{
    const struct steal_properties properties = {.weighted = 1, .levels = 2, .tasks = 64};
    struct tiers tiers = {0};

    ck_assert_int_eq(tiers_open(&tiers, &properties, sizeof(int64_t)), 0);
    ck_assert_int_eq(tiers_place(&tiers, 0, INT64_MAX), 0);
    ck_assert_int_eq(tiers_place(&tiers, 0, 0), COST_CLASSES - 1);
    ck_assert_int_eq(tiers_place(&tiers, 1, INT64_MAX), COST_CLASSES);
    ck_assert_int_eq(tiers_place(&tiers, 1, 0), 2 * COST_CLASSES - 1);
    for (int64_t cost = 64; cost < INT64_C(1) << 39; cost += cost / 7 + 1) {
        const int tier = tiers_place(&tiers, 0, cost);

        ck_assert_int_lt(tiers_place(&tiers, 0, cost + cost / 4 + 1), tier);
        ck_assert_int_ge(tiers_place(&tiers, 0, cost + cost / 4 + 1), tier - 2);
    }
    tiers_close(&tiers);
}

/* ---- threads ------------------------------------------------------------------------------- */

enum { TASKS = 20000 };

static struct {
    _Atomic unsigned char times[2 * TASKS];
    _Atomic int wrong;
} census;

/* Each task below TASKS adds one more. */
static void count_once(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)local;
    for (size_t i = 0; i < count; i++) {
        const uint64_t task = ((const uint64_t *)tasks)[i], child = task + TASKS;

        census.wrong += census.times[task]++ > 0;
        if (task >= TASKS)
            continue;
        if (lone.collection->properties.weighted)
            census.wrong += steal_add_weighted(worker, lone.collection, (int64_t)(task * task),
                                               &child, sizeof(child)) < 0;
        else
            census.wrong += steal_add_level(worker, lone.collection, (int)(task % 4), &child,
                                            sizeof(child)) < 0;
    }
}

START_TEST(threads_execute_ordered_tasks_once)
{
    const struct steal_options threads = {
        .size = sizeof(struct steal_options), .mode = STEAL_MODE_THREADS, .workers = 4};

    for (int weighted = 0; weighted < 2; weighted++) {
        memset(&census, 0, sizeof(census));
        lone_open_function(
            (struct steal_properties){
                .weighted = weighted, .levels = weighted ? 0 : 4, .batch = 3, .tasks = 1024},
            &threads, count_once);
        for (uint64_t task = 0; task < TASKS; task++)
            ck_assert_int_eq(steal_add(steal_seeder(lone.runtime), lone.collection, &task, 8), 0);
        ck_assert_int_eq(steal_process(lone.collection), 0);
        ck_assert_int_eq(census.wrong, 0);
        for (int i = 0; i < 2 * TASKS; i++)
            ck_assert_int_eq(census.times[i], 1);
        lone_close();
    }
}

/* ---- refusals ------------------------------------------------------------------------------ */

static int create(struct steal_properties properties)
{
    struct steal_collection *never;

    properties.size = sizeof(properties);
    properties.function = 1;
    if (properties.task_size == 0)
        properties.task_size = 8;
    return steal_collection_create(lone.runtime, &properties, &never);
}

START_TEST(what_has_no_order_is_told)
{
    uint64_t task = 1, large[2] = {0};

    lone_open((struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    lone_expect_error(steal_add_level(seeder, lone.collection, 1, &task, 8), -EINVAL,
                      "level 1 does not exist: the collection has 1");
    ck_assert_int_eq(steal_add_level(seeder, lone.collection, 0, &task, 8), 0);
    lone_expect_error(steal_add_weighted(seeder, lone.collection, 1, &task, 8), -EINVAL,
                      "the collection was created without weighted");
    lone_expect_error(create((struct steal_properties){.levels = 5}), -EINVAL,
                      "levels must be 1 to 4, not 5");
    lone_expect_error(create((struct steal_properties){.weighted = 2}), -EINVAL,
                      "weighted must be 0 to 1, not 2");
    lone_expect_error(
        create((struct steal_properties){.levels = 2, .retain = STEAL_RETENTION_ALL}), -EINVAL,
        "levels cannot be combined with retain: retained tasks are ordered by their durations");
    lone_expect_error(create((struct steal_properties){.levels = 2, .task_size = 65536}), -EINVAL,
                      "task_size must be at most 65528 with levels, not 65536");
    lone_close();
    lone_open((struct steal_properties){.weighted = 1, .levels = 2});
    seeder = steal_seeder(lone.runtime);
    lone_expect_error(steal_add_level(seeder, lone.collection, -1, &task, 8), -EINVAL,
                      "level -1 does not exist: the collection has 2");
    lone_expect_error(steal_add_weighted(seeder, lone.collection, -5, &task, 8), -EINVAL,
                      "a cost must not be negative: -5");
    lone_expect_error(steal_add_weighted(seeder, lone.collection, 5, large, 16), -EMSGSIZE,
                      "a task of 16 bytes is larger than task_size, 8");
    lone_expect_error(steal_add_weighted(seeder, lone.collection, 5, NULL, 8), -EINVAL,
                      "task is NULL");
    ck_assert_int_eq(steal_add_weighted(NULL, lone.collection, 5, &task, 8), -EINVAL);
    ck_assert_int_eq(steal_add_level(NULL, lone.collection, 0, &task, 8), -EINVAL);
    lone_close();
}

SUITE("steal order")
