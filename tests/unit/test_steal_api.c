/* SPDX-License-Identifier: BSD-3-Clause */
/* The public interface on one rank: what it promises, and its errors on misuse. */
#include "tests/lib/lone.h"
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "tools/steal-sim/network.h"
#include "libjuggle/steal/runtime/runtime.h"
#include "libjuggle/steal/runtime/process.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int add(uint64_t task)
{
    return steal_add(steal_seeder(lone.runtime), lone.collection, &task, sizeof(task));
}

static void expect_worker_message(const struct steal_worker *worker, const char *part)
{
    expect_says(steal_worker_message(worker), part);
}

/* ---- promises ---------------------------------------------------------------------------- */

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
END_TEST

START_TEST(a_rest_that_fills_no_vector_comes_last)
{
    play_tasks((struct steal_properties){.batch = 64, .lanes = 16}, 37);
    ck_assert_uint_eq(lone.largest, 32);
    ck_assert_uint_eq(lone.seen[0], 6);
    ck_assert_uint_eq(lone.seen[31], 37);
    ck_assert_uint_eq(lone.seen[32], 1);
    lone_close();
}
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

/* ---- misuse ------------------------------------------------------------------------------ */

static void expect_refused(struct steal_properties properties, int error, const char *part)
{
    struct steal_collection *untouched = lone.collection;

    ck_assert_int_eq(steal_collection_create(lone.runtime, &properties, &untouched), error);
    ck_assert_ptr_eq(untouched, lone.collection);
    lone_expect_message(part);
}

static int64_t weigh(const void *local, const void *task)
{
    (void)local, (void)task;
    return 1;
}

struct refusal {
    struct steal_properties properties;
    const char *part;
};

static void expect_all_refused(const struct refusal *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect_refused(refusals[i].properties, -EINVAL, refusals[i].part);
}

static const struct refusal mistakes[] = {
    {LONE_PROPERTIES(.bins = 24), "bins must be a power of two, not 24"},
    {LONE_PROPERTIES(.alpha = 1.5), "alpha must be at most 1, not 1.5"},
    {LONE_PROPERTIES(.batch = 2000), "batch must be 1 to 1024, not 2000"},
    {LONE_PROPERTIES(.lanes = 1025), "lanes must be 1 to 1024, not 1025"},
    {LONE_PROPERTIES(.lanes = 8), "batch must be a multiple of lanes 8, not 1"},
    {LONE_PROPERTIES(.lanes = 8, .batch = 12), "batch must be a multiple of lanes 8, not 12"},
    {LONE_PROPERTIES(.memory_max = 100), "memory_max must be at least"},
    {LONE_PROPERTIES(.lifelines = -1), "lifelines must be 0 to 30, not -1"},
    {LONE_PROPERTIES(.lifelines = 1, .tries = -4), "tries must be 1 to 2147483647, not -4"},
    {LONE_PROPERTIES(.exponent = -0.5), "exponent must not be negative: -0.5"},
    {LONE_PROPERTIES(.exponent = NAN), "exponent must be finite: nan"},
    {LONE_PROPERTIES(.victim = (enum steal_victim)5), "victim 5 does not exist"},
};

static const struct refusal idle[] = {
    {LONE_PROPERTIES(.order = STEAL_ORDER_LONGEST), "order does nothing without retain"},
    {LONE_PROPERTIES(.prediction = STEAL_PREDICTION_MEAN),
     "prediction does nothing without retain"},
    {LONE_PROPERTIES(.retain = STEAL_RETENTION_ALL, .alpha = 0.25),
     "alpha does nothing without prediction weighted"},
    {LONE_PROPERTIES(.bins = 8), "bins does nothing without retain"},
    {LONE_PROPERTIES(.key = lone_key), "key does nothing without retain"},
    {LONE_PROPERTIES(.weight = weigh), "weight does nothing without retain"},
    {LONE_PROPERTIES(.balance_every = 2), "balance_every does nothing without retain"},
    {LONE_PROPERTIES(.balance_if_it_pays = 1), "balance_if_it_pays does nothing without retain"},
    {LONE_PROPERTIES(.retain = STEAL_RETENTION_ALL, .balance = {.within_nodes = 1}),
     "balance does nothing without balance_every or balance_if_it_pays"},
    {LONE_PROPERTIES(.retain = STEAL_RETENTION_ALL, .balance_every = 1,
                     .balance = {.balancer = STEAL_BALANCER_CENTRAL, .arity = 4}),
     "arity does nothing without balancer hierarchical"},
    {LONE_PROPERTIES(.radix = 2), "radix does nothing without lifelines"},
    {LONE_PROPERTIES(.tries = 2), "tries does nothing without lifelines"},
    {LONE_PROPERTIES(.chunk = 10), "chunk does nothing without amount chunk or k"},
    {LONE_PROPERTIES(.exponent = 2), "exponent does nothing without victim skewed"},
    {LONE_PROPERTIES(.storage_initial = &lone), "storage_initial does nothing without storage"},
    {LONE_PROPERTIES(.victim = STEAL_VICTIM_NEAREST, .exponent = 2),
     "exponent does nothing without victim skewed"},
};

START_TEST(bad_properties_are_named)
{
    struct steal_properties properties = LONE_PROPERTIES();

    lone_open((struct steal_properties){0});
    expect_all_refused(mistakes, ARRAY_COUNT(mistakes));
    properties.function = 9;
    expect_refused(properties, -ENOENT, "function 9 is not registered");
    properties.function = 1;
    properties.task_size = 0;
    expect_refused(properties, -EINVAL, "task_size must be 1 to");
    properties.task_size = 65537;
    expect_refused(properties, -EINVAL, "not 65537");
    properties.task_size = 65528;
    properties.retain = 1;
    expect_refused(properties, -EINVAL, "task_size must be at most 65520 with retain");
    lone_close();
}
END_TEST

START_TEST(properties_that_would_do_nothing_are_refused)
{
    lone_open((struct steal_properties){0});
    expect_all_refused(idle, ARRAY_COUNT(idle));
    lone_close();
    lone_open_function((struct steal_properties){0}, &lone_threads, lone_note);
    expect_refused((struct steal_properties)LONE_PROPERTIES(.poll_tasks = 10), -EINVAL,
                   "poll_tasks does nothing without mode polling");
    lone_close();
}
END_TEST

START_TEST(lifelines_must_reach_every_rank)
{
    lone_open_among(10, (struct steal_properties){0}, NULL, lone_note);
    expect_refused((struct steal_properties)LONE_PROPERTIES(.lifelines = 2, .radix = 3), -EINVAL,
                   "radix 3 is too small for lifelines 2 among 10 ranks: it must be 4");
    expect_refused((struct steal_properties)LONE_PROPERTIES(.lifelines = 9, .radix = 1), -EINVAL,
                   "radix 1 is too small for lifelines 9 among 10 ranks: it must be 2");
    lone_close();
}
END_TEST

START_TEST(bad_functions_are_refused)
{
    steal_function function = 42;

    lone_open((struct steal_properties){0});
    ck_assert_int_eq(steal_function_register(lone.runtime, "play", lone_note, &function), -EEXIST);
    lone_expect_message("'play' is registered already");
    ck_assert_int_eq(steal_function_register(lone.runtime, "", lone_note, &function), -EINVAL);
    ck_assert_int_eq(steal_function_register(lone.runtime, "x", NULL, &function), -EINVAL);
    ck_assert_uint_eq(function, 42);
    lone_close();
}
END_TEST

START_TEST(task_larger_than_announced_is_refused)
{
    uint64_t two[2] = {1, 2};

    lone_open((struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    ck_assert_int_eq(steal_add(seeder, lone.collection, two, sizeof(two)), -EMSGSIZE);
    expect_worker_message(seeder, "16 bytes is larger than task_size, 8");
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_uint_eq(lone.count, 0);
    lone_close();
}
END_TEST

START_TEST(full_deque_refuses_and_keeps_what_it_has)
{
    const size_t memory = 16 * sizeof(uint64_t);

    lone_open((struct steal_properties){.tasks = 4, .memory_max = memory});
    for (uint64_t task = 1; task <= 16; task++)
        lone_add(task);
    ck_assert_int_eq(add(17), -ENOSPC);
    expect_worker_message(steal_seeder(lone.runtime),
                          "the deque is full: 16 tasks of 8 bytes, memory_max is 128 bytes");
    lone_expect_message("the deque is full: 16 tasks");
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_uint_eq(lone.count, 16);
    lone_close();
}
END_TEST

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
    ck_assert_int_eq(add(1), -ENOSPC);
    lone_close();
}
END_TEST

/* The limit that fails then is not memory_max, and raising that would not help. */
START_TEST(a_deque_that_cannot_grow_is_not_called_full)
{
    lone_open((struct steal_properties){.tasks = 1 << 14});
    for (uint64_t task = 0; task < 1 << 14; task++)
        lone_add(task);
    const rlim_t before = limit_set(RLIMIT_AS, 0);
    const int result = add(1 << 14);
    limit_set(RLIMIT_AS, before);
    ck_assert_int_eq(result, -ENOMEM);
    expect_worker_message(steal_seeder(lone.runtime),
                          "no memory for more tasks: the deque holds 16384 of 8 bytes");
    lone_add(1 << 14);
    lone_close();
}
END_TEST

/* ---- calls within tasks ---- */

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
END_TEST

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
END_TEST

START_TEST(open_reservation_refuses_others)
{
    void *room;

    lone_open((struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    ck_assert_int_eq(steal_reserve(seeder, lone.collection, 0, &room), -EINVAL);
    ck_assert_int_eq(steal_reserve(seeder, lone.collection, 1025, &room), -EINVAL);
    ck_assert_int_eq(steal_reserve(seeder, lone.collection, 2, &room), 0);
    ck_assert_int_eq(add(1), -EBUSY);
    expect_worker_message(seeder, "reservation of 2 tasks is not committed");
    steal_commit(seeder, lone.collection, 0);
    lone_add(1);
    lone_close();
}
END_TEST

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
END_TEST

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
END_TEST

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
END_TEST

START_TEST(collection_of_another_runtime_is_refused)
{
    uint64_t task = 1;

    lone_open((struct steal_properties){0});
    struct lone there = lone;
    lone_open((struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(lone.runtime);
    ck_assert_int_eq(steal_add(seeder, there.collection, &task, sizeof(task)), -EINVAL);
    expect_worker_message(seeder, "belongs to another runtime");
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
    expect_worker_message(&far, "the collection is NULL");
    steal_commit(&far, there.collection, 1);
    expect_worker_message(&far, "belongs to another runtime");
    lone_close();
    lone = there;
    lone_close();
}
END_TEST

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
END_TEST

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
    through_seeder = add(task);
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
END_TEST

START_TEST(tasks_cannot_call_collective_functions)
{
    lone_open_function((struct steal_properties){0}, NULL, nest);
    lone_add(1);
    ck_assert_int_eq(steal_process(lone.collection), 0);
    ck_assert_int_eq(nested, -EBUSY);
    ck_assert_int_eq(through_seeder, -EBUSY);
    /* The task has continued, and the call that it was part of succeeded. */
    ck_assert_str_eq(steal_message(lone.runtime), "");
    expect_worker_message(steal_seeder(lone.runtime), "not the seeder");
    lone_close();
}
END_TEST

static void expect_no_runtime(struct steal_options options, const char *part)
{
    const struct network_settings settings = {.ranks = 1, .latency_ns = lone_latency_ns};
    struct network *network;
    struct steal_runtime *runtime = NULL;
    struct steal_error error;

    if (options.size == 0)
        options.size = sizeof(options);
    ck_assert_int_eq(network_open(&settings, &network), 0);
    ck_assert_int_eq(runtime_open(network_endpoint(network, 0), &options, &runtime, &error),
                     -EINVAL);
    ck_assert_ptr_null(runtime);
    expect_says(error.message, part);
    network_close(network);
}

static void show(void *context, const struct steal_progress *progress)
{
    (void)context, (void)progress;
}

START_TEST(bad_options_are_named)
{
    expect_no_runtime((struct steal_options){.mode = STEAL_MODE_THREADS, .workers = 5000},
                      "workers must be 0 to 1024, not 5000");
    expect_no_runtime((struct steal_options){.size = 8}, "struct steal_options has 8 bytes");
    expect_no_runtime((struct steal_options){.workers = 2},
                      "workers does nothing without mode threads");
    expect_no_runtime((struct steal_options){.progress = show},
                      "progress does nothing without progress_interval_ns");
    expect_no_runtime((struct steal_options){.progress_interval_ns = 1},
                      "progress_interval_ns does nothing without progress");
    expect_no_runtime((struct steal_options){.progress_context = &(int){0}},
                      "progress_context does nothing without progress");
    expect_no_runtime((struct steal_options){.unused = 3}, "unused must be 0, not 3");
    expect_no_runtime((struct steal_options){.distances = "node", .dimensions = 2},
                      "dimensions does nothing without coordinates");
}
END_TEST

START_TEST(trace_without_events_is_refused)
{
    const struct steal_options traced = {.size = sizeof(traced), .trace_events = 10};

    lone_open((struct steal_properties){0});
    ck_assert_int_eq(steal_trace_write(lone.runtime, "/nowhere/trace.csv"), -EINVAL);
    lone_expect_message("without trace_events");
    lone_close();
    lone_open_function((struct steal_properties){0}, &traced, lone_note);
    ck_assert_int_eq(steal_trace_write(lone.runtime, "/nowhere/trace.csv"), -ENOENT);
    lone_expect_message("/nowhere/trace.csv: No such file");
    lone_close();
}
END_TEST

/* ---- threads ------------------------------------------------------------------------------- */

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
END_TEST

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
END_TEST

static void compute(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks;
    network_compute(lone.network, 0, (int64_t)count * NSEC_PER_MSEC);
}

START_TEST(a_report_is_of_its_collection)
{
    struct steal_report report = {.size = sizeof(struct steal_report)};

    lone_open_function((struct steal_properties){0}, NULL, compute);
    create_other();
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
END_TEST

SUITE("steal interface")
