/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the cost of the runtime itself: an empty task, alone and in batches, and a steal between
 * two ranks.
 *
 *     cost [TASKS]         one rank: nanoseconds per task, added and executed; what a ledger adds,
 *                          and what a reading of ticks or of a bound costs
 *     cost [TASKS]         two ranks: microseconds per successful steal, from asking to having
 */
#include "libjuggle/steal.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/steal/runtime/stopwatch.h"

#include <stdio.h>
#include <stdlib.h>

struct bench {
    struct steal_collection *collection;
    int64_t left;
    size_t batch;
    int64_t task_ns;
};

/* Each batch adds one of the same size, until there have been enough tasks. */
static void again(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct bench *bench = local;
    uint64_t *room;

    (void)tasks;
    bench->left -= (int64_t)count;
    if (bench->left <= 0 || steal_reserve(worker, bench->collection, count, (void **)&room) < 0)
        return;
    for (size_t i = 0; i < count; i++)
        room[i] = i;
    steal_commit(worker, bench->collection, count);
}

/* The same, but the tasks are copied. */
static void again_by_copy(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct bench *bench = local;
    uint64_t task = (uint64_t)bench->left;

    (void)tasks, (void)count;
    if (--bench->left > 0 && steal_add(worker, bench->collection, &task, sizeof(task)) < 0)
        abort();
}

/* A task that the thief finishes at once and the victim works on for a while. */
static void linger(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const struct bench *bench = local;
    int64_t until_ns = clock_now_ns() + bench->task_ns;

    (void)worker, (void)tasks, (void)count;
    while (clock_now_ns() < until_ns)
        ;
}

static void measure_tasks(struct steal_runtime *runtime, steal_function function, size_t batch,
                          int64_t tasks, const char *name)
{
    struct bench bench = {.left = tasks, .batch = batch};
    const struct steal_properties properties = {.size = sizeof(struct steal_properties),
                                                .function = function,
                                                .task_size = sizeof(uint64_t),
                                                .batch = batch,
                                                .local = &bench};
    uint64_t task = 0;
    int64_t begin_ns;

    if (steal_collection_create(runtime, &properties, &bench.collection) < 0)
        exit(1);
    for (size_t i = 0; i < batch; i++)
        if (steal_add(steal_seeder(runtime), bench.collection, &task, sizeof(task)) < 0)
            exit(1);
    begin_ns = clock_now_ns();
    if (steal_process(bench.collection) < 0)
        exit(1);
    printf("%s: %.2f ns per task\n", name, (double)(clock_now_ns() - begin_ns) / (double)tasks);
    steal_collection_destroy(bench.collection);
}

static void nothing(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
}

static void seed(struct steal_runtime *runtime, struct steal_collection *collection, int64_t tasks)
{
    uint64_t *room;

    for (int64_t i = 0; i < tasks; i += STEAL_BATCH_MAX) {
        const size_t count = (size_t)min_i64(tasks - i, STEAL_BATCH_MAX);

        if (steal_reserve(steal_seeder(runtime), collection, count, (void **)&room) < 0)
            exit(1);
        for (size_t k = 0; k < count; k++)
            room[2 * k] = (uint64_t)i + k;
        steal_commit(steal_seeder(runtime), collection, count);
    }
}

/* Nanoseconds per task of processing tasks that are already in the collection, the best of some
 * rounds. */
static double processing_ns(struct steal_runtime *runtime,
                            const struct steal_properties *properties, int64_t tasks)
{
    struct steal_collection *collection;
    int64_t best_ns = INT64_MAX;

    if (steal_collection_create(runtime, properties, &collection) < 0)
        exit(1);
    seed(runtime, collection, tasks);
    for (int round = 0; round < 7; round++) {
        const int64_t begin_ns = clock_now_ns();

        if (steal_process(collection) < 0)
            exit(1);
        best_ns = min_i64(best_ns, clock_now_ns() - begin_ns);
        if (!properties->retain)
            seed(runtime, collection, tasks);
        else if (steal_restore(collection) < 0)
            exit(1);
    }
    steal_collection_destroy(collection);
    return (double)best_ns / (double)tasks;
}

/* The same empty tasks with and without a ledger. */
static void measure_ledger(struct steal_runtime *runtime, steal_function function, size_t batch,
                           int64_t tasks, const char *name)
{
    struct steal_properties properties = {.size = sizeof(struct steal_properties),
                                          .function = function,
                                          .task_size = 2 * sizeof(uint64_t),
                                          .batch = batch};
    const double without_ns = processing_ns(runtime, &properties, tasks);

    properties.retain = STEAL_RETENTION_SEEDED;
    printf("ledger, %s: %.2f ns per task\n", name,
           processing_ns(runtime, &properties, tasks) - without_ns);
}

static void measure_ticks(int64_t readings)
{
    const int64_t begin_ns = clock_now_ns();
    int64_t latest = 0;

    for (int64_t i = 0; i < readings; i++)
        latest = max_i64(latest, stopwatch_ticks());
    printf("reading ticks: %.2f ns%s\n", (double)(clock_now_ns() - begin_ns) / (double)readings,
           latest == 0 ? ", of which there are none" : "");
}

/* A task that does nothing but read the bound, as a task that prunes does. */
static void read_bound(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct bench *bench = local;
    int64_t latest = 0;

    (void)worker, (void)tasks, (void)count;
    for (int64_t i = 0; i < bench->left; i++)
        latest = max_i64(latest, steal_bound(bench->collection));
    bench->task_ns = latest;
}

static void measure_bound(struct steal_runtime *runtime, steal_function function, int64_t readings)
{
    struct bench bench = {.left = readings};
    const struct steal_properties properties = {.size = sizeof(struct steal_properties),
                                                .function = function,
                                                .task_size = sizeof(uint64_t),
                                                .bound = STEAL_BOUND_MAX,
                                                .local = &bench};
    uint64_t task = 0;
    int64_t begin_ns;

    if (steal_collection_create(runtime, &properties, &bench.collection) < 0 ||
        steal_bound_improve(bench.collection, 1) < 0 ||
        steal_add(steal_seeder(runtime), bench.collection, &task, sizeof(task)) < 0)
        exit(1);
    begin_ns = clock_now_ns();
    if (steal_process(bench.collection) < 0 || bench.task_ns != 1)
        exit(1);
    printf("reading a bound: %.2f ns\n", (double)(clock_now_ns() - begin_ns) / (double)readings);
    steal_collection_destroy(bench.collection);
}

/* Rank 0 has all tasks; the other rank steals them one after the other, and executes them in no
 * time. */
static void measure_steals(struct steal_runtime *runtime, steal_function function, int64_t tasks)
{
    struct bench bench = {.task_ns = steal_rank(runtime) == 0 ? NSEC_PER_USEC : 0};
    const struct steal_properties properties = {.size = sizeof(struct steal_properties),
                                                .function = function,
                                                .task_size = sizeof(uint64_t),
                                                .amount = STEAL_AMOUNT_CHUNK,
                                                .chunk = 1,
                                                .poll_tasks = 1,
                                                .local = &bench};
    struct steal_statistics sum = {.size = sizeof(struct steal_statistics)};
    uint64_t task = 0;

    if (steal_collection_create(runtime, &properties, &bench.collection) < 0)
        exit(1);
    for (int64_t i = 0; i < tasks && steal_rank(runtime) == 0; i++)
        if (steal_add(steal_seeder(runtime), bench.collection, &task, sizeof(task)) < 0)
            exit(1);
    if (steal_process(bench.collection) < 0 || steal_statistics_sum(bench.collection, &sum) < 0)
        exit(1);
    if (steal_rank(runtime) == 0)
        printf("%ld steals of %ld attempts: %.2f us per session\n", (long)sum.steals_successful,
               (long)sum.steals_attempted,
               (double)sum.session_ns / (double)NSEC_PER_USEC / (double)sum.sessions);
    steal_collection_destroy(bench.collection);
}

int main(int argc, char **argv)
{
    const int64_t tasks = argc > 1 ? atoll(argv[1]) : 20000000;
    struct steal_runtime *runtime;
    struct steal_error error;
    steal_function batches, bounds, copies, lingers, nothings;

    if (steal_runtime_create(NULL, NULL, &runtime, &error) < 0) {
        fprintf(stderr, "cost: %s\n", error.message);
        return 1;
    }
    if (steal_function_register(runtime, "again", again, &batches) < 0 ||
        steal_function_register(runtime, "again by copy", again_by_copy, &copies) < 0 ||
        steal_function_register(runtime, "linger", linger, &lingers) < 0 ||
        steal_function_register(runtime, "read bound", read_bound, &bounds) < 0 ||
        steal_function_register(runtime, "nothing", nothing, &nothings) < 0)
        return 1;
    if (steal_ranks(runtime) > 1) {
        measure_steals(runtime, lingers, tasks / 100);
    } else {
        measure_tasks(runtime, copies, 1, tasks, "by copy");
        measure_tasks(runtime, batches, 1, tasks, "in place");
        measure_tasks(runtime, batches, 16, tasks, "batches of 16");
        measure_tasks(runtime, batches, 64, tasks, "batches of 64");
        measure_ticks(tasks);
        measure_bound(runtime, bounds, tasks);
        measure_ledger(runtime, nothings, 1, tasks / 20, "alone");
        measure_ledger(runtime, nothings, 16, tasks / 20, "batches of 16");
    }
    steal_runtime_destroy(runtime);
    return 0;
}
