/* SPDX-License-Identifier: BSD-3-Clause */
/* The public interface on one rank: what it promises, and what it answers to bad use. */
#include "tests/lib/lone.h"
#include "tests/lib/suite.h"

#include "tools/steal-sim/network.h"
#include "libjuggle/steal/runtime/runtime.h"
#include "libjuggle/steal/runtime/process.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

struct fixture {
    struct network *network;
    struct steal_runtime *runtime;
    struct steal_collection *collection;
    steal_function function;
};

/* What the tasks of the tests do and saw. */
struct notes {
    struct steal_collection *collection, *other;
    uint64_t order[64];
    size_t executed;
    size_t largest_batch;
    int nested, through_seeder;
};

static void note(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct notes *notes = local;
    const uint64_t *task = tasks;

    (void)worker;
    for (size_t i = 0; i < count; i++)
        notes->order[notes->executed++] = task[i];
    if (count > notes->largest_batch)
        notes->largest_batch = count;
}

static void open_among(struct fixture *fixture, int ranks, const struct steal_options *options,
                       struct steal_properties properties, steal_exec *exec)
{
    const struct network_settings settings = {.ranks = ranks, .latency_ns = lone_latency_ns};

    ck_assert_int_eq(network_open(&settings, &fixture->network), 0);
    ck_assert_int_eq(
        runtime_open(network_endpoint(fixture->network, 0), options, &fixture->runtime, NULL), 0);
    ck_assert_int_eq(steal_function_register(fixture->runtime, "note", exec, &fixture->function),
                     0);
    properties.size = sizeof(properties);
    properties.function = fixture->function;
    if (properties.task_size == 0)
        properties.task_size = sizeof(uint64_t);
    ck_assert_int_eq(steal_collection_create(fixture->runtime, &properties, &fixture->collection),
                     0);
}

static void open_with(struct fixture *fixture, const struct steal_options *options,
                      struct steal_properties properties, steal_exec *exec)
{
    open_among(fixture, 1, options, properties, exec);
}

static void open_notes(struct fixture *fixture, struct notes *notes,
                       struct steal_properties properties)
{
    memset(notes, 0, sizeof(*notes));
    properties.local = notes;
    open_with(fixture, NULL, properties, note);
}

static void close_fixture(struct fixture *fixture)
{
    steal_collection_destroy(fixture->collection);
    steal_runtime_destroy(fixture->runtime);
    network_close(fixture->network);
}

static int add(struct fixture *fixture, uint64_t task)
{
    return steal_add(steal_seeder(fixture->runtime), fixture->collection, &task, sizeof(task));
}

static void expect_message(const char *message, const char *part)
{
    ck_assert_msg(strstr(message, part), "'%s' does not say '%s'", message, part);
}

/* ---- what it promises ---------------------------------------------------------------------- */

/* Tasks 1 to `count`, all of which are executed. */
static void note_tasks(struct fixture *fixture, struct notes *notes,
                       struct steal_properties properties, uint64_t count)
{
    open_notes(fixture, notes, properties);
    for (uint64_t task = 1; task <= count; task++)
        ck_assert_int_eq(add(fixture, task), 0);
    ck_assert_int_eq(steal_process(fixture->collection), 0);
    ck_assert_uint_eq(notes->executed, count);
}

START_TEST(batches_hold_up_to_the_bound)
{
    struct fixture fixture;
    struct notes notes;

    note_tasks(&fixture, &notes, (struct steal_properties){.batch = 4}, 10);
    ck_assert_uint_eq(notes.largest_batch, 4);
    ck_assert_uint_eq(notes.order[3], 10);
    close_fixture(&fixture);
}
END_TEST

START_TEST(a_rest_that_fills_no_vector_comes_last)
{
    struct fixture fixture;
    struct notes notes;

    note_tasks(&fixture, &notes, (struct steal_properties){.batch = 64, .lanes = 16}, 37);
    ck_assert_uint_eq(notes.largest_batch, 32);
    ck_assert_uint_eq(notes.order[0], 6);
    ck_assert_uint_eq(notes.order[31], 37);
    ck_assert_uint_eq(notes.order[32], 1);
    close_fixture(&fixture);
}
END_TEST

START_TEST(reservation_commits_as_much_as_was_filled)
{
    struct fixture fixture;
    struct notes notes;
    uint64_t *room;

    open_notes(&fixture, &notes, (struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(fixture.runtime);
    ck_assert_int_eq(steal_reserve(seeder, fixture.collection, 8, (void **)&room), 0);
    room[0] = 5;
    steal_commit(seeder, fixture.collection, 1);
    ck_assert_int_eq(steal_reserve(seeder, fixture.collection, 8, (void **)&room), 0);
    steal_commit(seeder, fixture.collection, 0);
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert_uint_eq(notes.executed, 1);
    ck_assert_uint_eq(notes.order[0], 5);
    close_fixture(&fixture);
}
END_TEST

START_TEST(restore_brings_back_what_was_executed_in_the_same_order)
{
    struct fixture fixture;
    struct notes notes;

    open_notes(&fixture, &notes, (struct steal_properties){.retain = 1});
    for (uint64_t task = 1; task <= 5; task++)
        ck_assert_int_eq(add(&fixture, task), 0);
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert_int_eq(steal_restore(fixture.collection), 0);
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert_uint_eq(notes.executed, 10);
    ck_assert_mem_eq(notes.order, notes.order + 5, 5 * sizeof(notes.order[0]));
    close_fixture(&fixture);
}
END_TEST

START_TEST(statistics_count_one_process)
{
    struct fixture fixture;
    struct notes notes;
    struct steal_statistics statistics = {.size = sizeof(struct steal_statistics)};

    open_notes(&fixture, &notes, (struct steal_properties){0});
    for (int round = 0; round < 2; round++) {
        ck_assert_int_eq(add(&fixture, 1), 0);
        ck_assert_int_eq(add(&fixture, 2), 0);
        ck_assert_int_eq(steal_process(fixture.collection), 0);
        ck_assert_int_eq(steal_statistics_sum(fixture.collection, &statistics), 0);
        ck_assert_int_eq(statistics.tasks_executed, 2);
        ck_assert_int_eq(statistics.tasks_held_max, 2);
        ck_assert_int_eq(statistics.steals_attempted, 0);
    }
    close_fixture(&fixture);
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

/* ---- bad use ------------------------------------------------------------------------------- */

static void expect_refused(struct fixture *fixture, struct steal_properties properties, int error,
                           const char *part)
{
    struct steal_collection *untouched = fixture->collection;

    properties.size = sizeof(properties);
    if (properties.function == 0)
        properties.function = fixture->function;
    ck_assert_int_eq(steal_collection_create(fixture->runtime, &properties, &untouched), error);
    ck_assert_ptr_eq(untouched, fixture->collection);
    expect_message(steal_message(fixture->runtime), part);
}

START_TEST(bad_properties_are_named)
{
    struct fixture fixture;
    struct notes notes;

    open_notes(&fixture, &notes, (struct steal_properties){0});
    expect_refused(&fixture, (struct steal_properties){.function = 9, .task_size = 8}, -ENOENT,
                   "function 9 is not registered");
    expect_refused(&fixture, (struct steal_properties){0}, -EINVAL, "task_size must be 1 to");
    expect_refused(&fixture, (struct steal_properties){.task_size = 65528, .retain = 1}, -EINVAL,
                   "task_size must be at most 65520 with retain");
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .bins = 24}, -EINVAL,
                   "bins must be a power of two, not 24");
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .alpha = 1.5}, -EINVAL,
                   "alpha must be at most 1, not 1.5");
    expect_refused(&fixture, (struct steal_properties){.task_size = 65537}, -EINVAL, "not 65537");
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .batch = 2000}, -EINVAL,
                   "batch must be 1 to 1024, not 2000");
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .lanes = 1025}, -EINVAL,
                   "lanes must be 1 to 1024, not 1025");
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .lanes = 8}, -EINVAL,
                   "batch must be a multiple of lanes 8, not 1");
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .lanes = 8, .batch = 12},
                   -EINVAL, "batch must be a multiple of lanes 8, not 12");
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .memory_max = 100}, -EINVAL,
                   "memory_max must be at least");
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .lifelines = -1}, -EINVAL,
                   "lifelines must be 0 to 30, not -1");
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .lifelines = 1, .tries = -4},
                   -EINVAL, "tries must be 1 to 2147483647, not -4");
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .exponent = -0.5}, -EINVAL,
                   "exponent must not be negative: -0.5");
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .exponent = NAN}, -EINVAL,
                   "exponent must be finite: nan");
    expect_refused(&fixture,
                   (struct steal_properties){.task_size = 8, .victim = (enum steal_victim)5},
                   -EINVAL, "victim 5 does not exist");
    close_fixture(&fixture);
}
END_TEST

static int64_t weigh(const void *local, const void *task)
{
    (void)local, (void)task;
    return 1;
}

static uint64_t know(const void *local, const void *task)
{
    (void)local, (void)task;
    return 1;
}

#define PROPERTIES(...) ((struct steal_properties){.task_size = 8, __VA_ARGS__})

START_TEST(properties_that_would_do_nothing_are_refused)
{
    struct fixture fixture;
    const struct {
        struct steal_properties properties;
        const char *part;
    } cases[] = {
        {PROPERTIES(.order = STEAL_ORDER_LONGEST), "order does nothing without retain"},
        {PROPERTIES(.prediction = STEAL_PREDICTION_MEAN), "prediction does nothing without retain"},
        {PROPERTIES(.retain = STEAL_RETENTION_ALL, .alpha = 0.25),
         "alpha does nothing without prediction weighted"},
        {PROPERTIES(.bins = 8), "bins does nothing without retain"},
        {PROPERTIES(.key = know), "key does nothing without retain"},
        {PROPERTIES(.weight = weigh), "weight does nothing without retain"},
        {PROPERTIES(.balance_every = 2), "balance_every does nothing without retain"},
        {PROPERTIES(.balance_if_it_pays = 1), "balance_if_it_pays does nothing without retain"},
        {PROPERTIES(.retain = STEAL_RETENTION_ALL, .balance = {.within_nodes = 1}),
         "balance does nothing without balance_every or balance_if_it_pays"},
        {PROPERTIES(.retain = STEAL_RETENTION_ALL, .balance_every = 1,
                    .balance = {.balancer = STEAL_BALANCER_CENTRAL, .arity = 4}),
         "arity does nothing without balancer hierarchical"},
        {PROPERTIES(.radix = 2), "radix does nothing without lifelines"},
        {PROPERTIES(.tries = 2), "tries does nothing without lifelines"},
        {PROPERTIES(.chunk = 10), "chunk does nothing without amount chunk or k"},
        {PROPERTIES(.exponent = 2), "exponent does nothing without victim skewed"},
        {PROPERTIES(.storage_initial = &fixture), "storage_initial does nothing without storage"},
        {PROPERTIES(.victim = STEAL_VICTIM_NEAREST, .exponent = 2),
         "exponent does nothing without victim skewed"},
    };
    struct notes notes;

    open_notes(&fixture, &notes, (struct steal_properties){0});
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
        expect_refused(&fixture, cases[i].properties, -EINVAL, cases[i].part);
    close_fixture(&fixture);
    open_with(&fixture,
              &(struct steal_options){
                  .size = sizeof(struct steal_options), .mode = STEAL_MODE_THREADS, .workers = 1},
              (struct steal_properties){.local = &notes}, note);
    expect_refused(&fixture, PROPERTIES(.poll_tasks = 10), -EINVAL,
                   "poll_tasks does nothing without mode polling");
    close_fixture(&fixture);
}
END_TEST

START_TEST(lifelines_must_reach_every_rank)
{
    struct fixture fixture;
    struct notes notes;

    open_among(&fixture, 10, NULL, (struct steal_properties){.local = &notes}, note);
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .lifelines = 2, .radix = 3},
                   -EINVAL, "radix 3 is too small for lifelines 2 among 10 ranks: it must be 4");
    expect_refused(&fixture, (struct steal_properties){.task_size = 8, .lifelines = 9, .radix = 1},
                   -EINVAL, "radix 1 is too small for lifelines 9 among 10 ranks: it must be 2");
    close_fixture(&fixture);
}
END_TEST

START_TEST(bad_functions_are_refused)
{
    struct fixture fixture;
    struct notes notes;
    steal_function function = 42;

    open_notes(&fixture, &notes, (struct steal_properties){0});
    ck_assert_int_eq(steal_function_register(fixture.runtime, "note", note, &function), -EEXIST);
    expect_message(steal_message(fixture.runtime), "'note' is registered already");
    ck_assert_int_eq(steal_function_register(fixture.runtime, "", note, &function), -EINVAL);
    ck_assert_int_eq(steal_function_register(fixture.runtime, "x", NULL, &function), -EINVAL);
    ck_assert_uint_eq(function, 42);
    close_fixture(&fixture);
}
END_TEST

START_TEST(task_larger_than_announced_is_refused)
{
    struct fixture fixture;
    struct notes notes;
    uint64_t two[2] = {1, 2};

    open_notes(&fixture, &notes, (struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(fixture.runtime);
    ck_assert_int_eq(steal_add(seeder, fixture.collection, two, sizeof(two)), -EMSGSIZE);
    expect_message(steal_worker_message(seeder), "16 bytes is larger than task_size, 8");
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert_uint_eq(notes.executed, 0);
    close_fixture(&fixture);
}
END_TEST

START_TEST(full_deque_refuses_and_keeps_what_it_has)
{
    struct fixture fixture;
    struct notes notes;
    const size_t memory = 16 * sizeof(uint64_t);

    open_notes(&fixture, &notes, (struct steal_properties){.tasks = 4, .memory_max = memory});
    for (uint64_t task = 1; task <= 16; task++)
        ck_assert_int_eq(add(&fixture, task), 0);
    ck_assert_int_eq(add(&fixture, 17), -ENOSPC);
    expect_message(steal_worker_message(steal_seeder(fixture.runtime)),
                   "the deque is full: 16 tasks of 8 bytes, memory_max is 128 bytes");
    expect_message(steal_message(fixture.runtime), "the deque is full: 16 tasks");
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert_uint_eq(notes.executed, 16);
    close_fixture(&fixture);
}
END_TEST

START_TEST(memory_max_holds_what_it_says)
{
    struct fixture fixture;
    struct notes notes;
    const size_t memory = 1 << 20;
    void *room;

    open_notes(&fixture, &notes, (struct steal_properties){.tasks = 1024, .memory_max = memory});
    for (size_t held = 0; held < memory / sizeof(uint64_t); held += STEAL_BATCH_MAX) {
        ck_assert_int_eq(steal_reserve(steal_seeder(fixture.runtime), fixture.collection,
                                       STEAL_BATCH_MAX, &room),
                         0);
        steal_commit(steal_seeder(fixture.runtime), fixture.collection, STEAL_BATCH_MAX);
    }
    ck_assert_int_eq(add(&fixture, 1), -ENOSPC);
    close_fixture(&fixture);
}
END_TEST

/* What fails then is not memory_max, and who raised that would look in vain. */
START_TEST(a_deque_that_cannot_grow_is_not_called_full)
{
    struct fixture fixture;
    struct notes notes;
    struct rlimit limit, none;
    int result;

    open_notes(&fixture, &notes, (struct steal_properties){.tasks = 1 << 14});
    for (uint64_t task = 0; task < 1 << 14; task++)
        ck_assert_int_eq(add(&fixture, task), 0);
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
    none = (struct rlimit){0, limit.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &none), 0);
    result = add(&fixture, 1 << 14);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    ck_assert_int_eq(result, -ENOMEM);
    expect_message(steal_worker_message(steal_seeder(fixture.runtime)),
                   "no memory for more tasks: the deque holds 16384 of 8 bytes");
    ck_assert_int_eq(add(&fixture, 1 << 14), 0);
    close_fixture(&fixture);
}
END_TEST

/* Cancels, and tries what a task must not do. */
static void cancel_third(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct notes *notes = local;

    note(worker, local, tasks, count);
    if (notes->executed != 3)
        return;
    notes->nested = steal_collection_destroy(notes->collection);
    ck_assert_int_eq(steal_cancel(notes->other), -EINVAL);
    ck_assert_int_eq(steal_cancel(notes->collection), 0);
}

START_TEST(canceling_drops_what_is_left)
{
    struct fixture fixture;
    struct notes notes = {0};
    struct steal_properties properties = {
        .size = sizeof(struct steal_properties), .task_size = sizeof(uint64_t), .local = &notes};

    open_with(&fixture, NULL, properties, cancel_third);
    notes.collection = fixture.collection;
    properties.function = fixture.function;
    ck_assert_int_eq(steal_collection_create(fixture.runtime, &properties, &notes.other), 0);
    for (uint64_t task = 0; task < 10; task++)
        ck_assert_int_eq(add(&fixture, task), 0);
    ck_assert_int_eq(steal_process(fixture.collection), -ECANCELED);
    expect_message(steal_message(fixture.runtime), "canceled by rank 0");
    ck_assert_uint_eq(notes.executed, 3);
    ck_assert_int_eq(notes.nested, -EBUSY);
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert_uint_eq(notes.executed, 3);
    ck_assert_int_eq(steal_collection_destroy(notes.other), 0);
    close_fixture(&fixture);
}
END_TEST

/* Plays a rank at the far end of a lifeline. */
static void deal(struct fixture *fixture, uint64_t first, uint32_t count)
{
    struct transport *other = network_endpoint(fixture->network, 1);
    const struct message message = {.peer = 0, .epoch = 1, .kind = MESSAGE_DEAL, .count = count};
    uint64_t *tasks = other->ops->room(other);
    int rank;

    for (uint32_t i = 0; i < count; i++)
        tasks[i] = first + i;
    ck_assert_int_eq(other->ops->send(other, &message, count * sizeof(uint64_t)), 0);
    ck_assert_int_eq(network_next(fixture->network, &rank), 1);
}

START_TEST(tasks_that_come_to_a_full_deque_are_kept)
{
    const size_t memory = 16 * sizeof(uint64_t);
    struct notes notes = {0};
    struct fixture fixture;
    bool seen[5] = {false};

    open_among(&fixture, 2, NULL,
               (struct steal_properties){.tasks = 4, .memory_max = memory, .local = &notes}, note);
    for (uint64_t task = 1; task <= 16; task++)
        ck_assert_int_eq(add(&fixture, task), 0);
    process_begin(fixture.collection);
    deal(&fixture, 100, 3);
    deal(&fixture, 103, 2);
    for (int turn = 0; turn < 40; turn++)
        ck_assert_int_ge(process_turn(fixture.collection), 0);
    ck_assert_uint_eq(notes.executed, 16 + 5);
    for (size_t i = 0; i < notes.executed; i++)
        if (notes.order[i] >= 100)
            seen[notes.order[i] - 100] = true;
    for (size_t i = 0; i < ARRAY_COUNT(seen); i++)
        ck_assert(seen[i]);
    process_end(fixture.collection);
    close_fixture(&fixture);
}
END_TEST

START_TEST(open_reservation_refuses_others)
{
    struct fixture fixture;
    struct notes notes;
    void *room;

    open_notes(&fixture, &notes, (struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(fixture.runtime);
    ck_assert_int_eq(steal_reserve(seeder, fixture.collection, 0, &room), -EINVAL);
    ck_assert_int_eq(steal_reserve(seeder, fixture.collection, 1025, &room), -EINVAL);
    ck_assert_int_eq(steal_reserve(seeder, fixture.collection, 2, &room), 0);
    ck_assert_int_eq(add(&fixture, 1), -EBUSY);
    expect_message(steal_worker_message(seeder), "reservation of 2 tasks is not committed");
    steal_commit(seeder, fixture.collection, 0);
    ck_assert_int_eq(add(&fixture, 1), 0);
    close_fixture(&fixture);
}
END_TEST

/* Reserves in `other`, or else in its own collection, and forgets to commit. */
static void reserve_and_forget(struct steal_worker *worker, void *local, const void *tasks,
                               size_t count)
{
    struct notes *notes = local;
    void *room;

    (void)tasks, (void)count;
    if (notes->executed++ == 0)
        ck_assert_int_eq(
            steal_reserve(worker, notes->other ? notes->other : notes->collection, 3, &room), 0);
}

static void expect_exposed(const struct steal_options *options, bool elsewhere, const char *part)
{
    struct steal_properties properties = {.size = sizeof(struct steal_properties),
                                          .task_size = sizeof(uint64_t)};
    struct notes notes = {0};
    struct fixture fixture;

    properties.local = &notes;
    open_with(&fixture, options, properties, reserve_and_forget);
    notes.collection = fixture.collection;
    properties.function = fixture.function;
    if (elsewhere)
        ck_assert_int_eq(steal_collection_create(fixture.runtime, &properties, &notes.other), 0);
    ck_assert_int_eq(add(&fixture, 1), 0);
    ck_assert_int_eq(steal_process(fixture.collection), -EBUSY);
    expect_message(steal_message(fixture.runtime), part);
    ck_assert_uint_eq(notes.executed, 1);
    ck_assert_int_eq(add(&fixture, 1), 0);
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert_uint_eq(notes.executed, 2);
    ck_assert_int_eq(steal_collection_destroy(notes.other), 0);
    close_fixture(&fixture);
}

START_TEST(a_task_that_leaves_a_reservation_open_is_told)
{
    const struct steal_options threads = {
        .size = sizeof(struct steal_options), .mode = STEAL_MODE_THREADS, .workers = 2};

    expect_exposed(NULL, false,
                   "a task of 'note' ended with an open reservation of 3 tasks in collection 1 of "
                   "'note': steal_commit() is missing");
    expect_exposed(NULL, true, "of 3 tasks in collection 2 of 'note'");
    expect_exposed(&threads, false, "of 3 tasks in collection 1 of 'note'");
    expect_exposed(&threads, true, "of 3 tasks in collection 2 of 'note'");
}
END_TEST

START_TEST(an_open_reservation_of_the_seeder_is_told_by_what_would_lose_it)
{
    struct fixture fixture;
    struct notes notes;
    void *room;

    open_notes(&fixture, &notes, (struct steal_properties){.retain = 1});
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert_int_eq(steal_reserve(steal_seeder(fixture.runtime), fixture.collection, 2, &room), 0);
    ck_assert_int_eq(steal_process(fixture.collection), -EBUSY);
    expect_message(
        steal_message(fixture.runtime),
        "a reservation of 2 tasks in collection 1 of 'note' is open: steal_commit() is missing");
    ck_assert_int_eq(steal_restore(fixture.collection), -EBUSY);
    expect_message(steal_message(fixture.runtime), "steal_commit() is missing");
    ck_assert_int_eq(steal_rebalance(fixture.collection, NULL), -EBUSY);
    steal_commit(steal_seeder(fixture.runtime), fixture.collection, 0);
    ck_assert_int_eq(steal_rebalance(fixture.collection, NULL), 0);
    close_fixture(&fixture);
}
END_TEST

START_TEST(a_runtime_with_collections_is_not_destroyed)
{
    struct fixture fixture;
    struct notes notes;

    open_notes(&fixture, &notes, (struct steal_properties){0});
    ck_assert_int_eq(steal_runtime_destroy(fixture.runtime), -EBUSY);
    expect_message(steal_message(fixture.runtime), "collection 1 of 'note' is not destroyed");
    ck_assert_int_eq(add(&fixture, 1), 0);
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert_uint_eq(notes.executed, 1);
    ck_assert_int_eq(steal_collection_destroy(fixture.collection), 0);
    ck_assert_int_eq(steal_runtime_destroy(fixture.runtime), 0);
    network_close(fixture.network);
}
END_TEST

START_TEST(collection_of_another_runtime_is_refused)
{
    struct fixture here, there;
    struct notes notes;
    uint64_t task = 1;

    open_notes(&here, &notes, (struct steal_properties){0});
    open_notes(&there, &notes, (struct steal_properties){0});
    struct steal_worker *seeder = steal_seeder(here.runtime);
    ck_assert_int_eq(steal_add(seeder, there.collection, &task, sizeof(task)), -EINVAL);
    expect_message(steal_worker_message(seeder), "belongs to another runtime");
    /* Of a runtime with many more workers. */
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
    expect_message(steal_worker_message(&far), "the collection is NULL");
    steal_commit(&far, there.collection, 1);
    expect_message(steal_worker_message(&far), "belongs to another runtime");
    close_fixture(&there);
    close_fixture(&here);
}
END_TEST

START_TEST(restore_in_the_wrong_order_is_refused)
{
    struct fixture fixture;
    struct notes notes;

    open_notes(&fixture, &notes, (struct steal_properties){0});
    ck_assert_int_eq(steal_restore(fixture.collection), -EINVAL);
    expect_message(steal_message(fixture.runtime), "without retain");
    close_fixture(&fixture);

    open_notes(&fixture, &notes, (struct steal_properties){.retain = 1});
    ck_assert_int_eq(steal_restore(fixture.collection), -EBUSY);
    expect_message(steal_message(fixture.runtime), "nothing was processed");
    ck_assert_int_eq(add(&fixture, 1), 0);
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert_int_eq(steal_restore(fixture.collection), 0);
    ck_assert_int_eq(steal_restore(fixture.collection), -EBUSY);
    close_fixture(&fixture);
}
END_TEST

static void nest(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct notes *notes = local;
    uint64_t task = 1;

    (void)worker, (void)tasks, (void)count;
    notes->nested = steal_process(notes->collection);
    expect_message(steal_message(worker->runtime), "steal_process() from within a task");
    ck_assert_int_eq(steal_process_for(notes->collection, 1), -EBUSY);
    expect_message(steal_message(worker->runtime), "steal_process_for() from within a task");
    ck_assert_int_eq(steal_reduce_with(notes->collection, NULL, NULL, NULL), -EBUSY);
    expect_message(steal_message(worker->runtime), "steal_reduce_with() from within a task");
    notes->through_seeder = steal_add(steal_seeder(worker->runtime), notes->collection, &task,
                                      sizeof(task));
}

START_TEST(tasks_cannot_call_collective_functions)
{
    struct fixture fixture;
    struct notes notes = {0};

    open_with(&fixture, NULL, (struct steal_properties){.local = &notes}, nest);
    notes.collection = fixture.collection;
    ck_assert_int_eq(add(&fixture, 1), 0);
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert_int_eq(notes.nested, -EBUSY);
    ck_assert_int_eq(notes.through_seeder, -EBUSY);
    /* The task has gone on, and the call that it was part of succeeded. */
    ck_assert_str_eq(steal_message(fixture.runtime), "");
    expect_message(steal_worker_message(steal_seeder(fixture.runtime)), "not through the seeder");
    close_fixture(&fixture);
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
    expect_message(error.message, part);
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
    struct fixture fixture;
    struct notes notes;

    open_notes(&fixture, &notes, (struct steal_properties){0});
    ck_assert_int_eq(steal_trace_write(fixture.runtime, "/nowhere/trace.csv"), -EINVAL);
    expect_message(steal_message(fixture.runtime), "without trace_events");
    close_fixture(&fixture);
    open_with(&fixture,
              &(struct steal_options){.size = sizeof(struct steal_options), .trace_events = 10},
              (struct steal_properties){.local = &notes}, note);
    ck_assert_int_eq(steal_trace_write(fixture.runtime, "/nowhere/trace.csv"), -ENOENT);
    expect_message(steal_message(fixture.runtime), "/nowhere/trace.csv: No such file");
    close_fixture(&fixture);
}
END_TEST

/* ---- threads ------------------------------------------------------------------------------- */

struct census {
    struct steal_collection *collection;
    _Atomic int64_t executed;
};

/* A task is the depth of the binary tree below it. */
static void divide(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct census *census = local;
    const uint64_t *depth = tasks;

    census->executed += (int64_t)count;
    for (size_t i = 0; i < count; i++) {
        uint64_t *child;

        if (depth[i] == 0)
            continue;
        ck_assert_int_eq(steal_reserve(worker, census->collection, 2, (void **)&child), 0);
        child[0] = child[1] = depth[i] - 1;
        steal_commit(worker, census->collection, 2);
    }
}

START_TEST(threads_execute_every_task_once)
{
    const struct steal_options options = {
        .size = sizeof(struct steal_options), .mode = STEAL_MODE_THREADS, .workers = 4};

    for (size_t batch = 1; batch <= 16; batch *= 4) {
        struct census census = {0};
        struct fixture fixture;

        open_with(&fixture, &options,
                  (struct steal_properties){.local = &census, .batch = batch, .tasks = 2}, divide);
        census.collection = fixture.collection;
        for (int round = 1; round <= 20; round++) {
            ck_assert_int_eq(add(&fixture, 11), 0);
            ck_assert_int_eq(steal_process(fixture.collection), 0);
            ck_assert_int_eq(census.executed, round * 4095);
        }
        close_fixture(&fixture);
    }
}
END_TEST

enum { NARROW_TASKS = 100, NARROW_BATCH = 1024, NARROW_TURNS = 100000000 };

/* A tree that is deep and never wider than NARROW_TASKS; it ends when two workers have seen it. */
struct narrow {
    struct steal_collection *collection;
    _Atomic bool seen[2];
    _Atomic int64_t turns;
};

static void go_down(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct narrow *narrow = local;
    void *room;

    narrow->seen[steal_worker_index(worker)] = true;
    narrow->turns += (int64_t)count;
    if ((narrow->seen[0] && narrow->seen[1]) || narrow->turns > NARROW_TURNS)
        return;
    ck_assert_int_eq(steal_reserve(worker, narrow->collection, count, &room), 0);
    memcpy(room, tasks, count * sizeof(uint64_t));
    steal_commit(worker, narrow->collection, count);
}

START_TEST(no_thread_starves_beside_less_than_a_batch)
{
    const struct steal_options options = {
        .size = sizeof(struct steal_options), .mode = STEAL_MODE_THREADS, .workers = 2};
    struct narrow narrow = {0};
    struct fixture fixture;

    open_with(&fixture, &options,
              (struct steal_properties){.local = &narrow, .batch = NARROW_BATCH}, go_down);
    narrow.collection = fixture.collection;
    for (int i = 0; i < NARROW_TASKS; i++)
        ck_assert_int_eq(add(&fixture, (uint64_t)i), 0);
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert(narrow.seen[0] && narrow.seen[1]);
    close_fixture(&fixture);
}
END_TEST

static void compute(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const struct fixture *fixture = local;

    (void)worker, (void)tasks;
    network_compute(fixture->network, 0, (int64_t)count * NSEC_PER_MSEC);
}

START_TEST(a_report_is_of_its_collection)
{
    struct steal_properties properties = {.size = sizeof(struct steal_properties),
                                          .task_size = sizeof(uint64_t)};
    struct steal_collection *other;
    struct steal_report report = {.size = sizeof(struct steal_report)};
    struct fixture fixture;

    open_with(&fixture, NULL, (struct steal_properties){.local = &fixture}, compute);
    properties.function = fixture.function;
    ck_assert_int_eq(steal_collection_create(fixture.runtime, &properties, &other), 0);
    ck_assert_int_eq(add(&fixture, 1), 0);
    ck_assert_int_eq(steal_process(fixture.collection), 0);
    ck_assert_int_eq(steal_process(other), 0);
    ck_assert_int_eq(steal_report(fixture.collection, &report), 0);
    ck_assert_double_gt(report.occupancy[STEAL_REPORT_PARTS / 2], 0.9);
    ck_assert_int_eq(steal_report(other, &report), 0);
    ck_assert_double_lt(report.occupancy[STEAL_REPORT_PARTS / 2], 0.1);
    steal_collection_destroy(other);
    close_fixture(&fixture);
}
END_TEST

SUITE("steal interface")
