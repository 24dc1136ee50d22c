/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that use the interface in ways that do not fit together. Prints what each call returned.
 * Usage: manners SCENARIO... (by the names below, one after the other; all need two ranks)
 */
#include "tests/mpi/scenarios.h"

#include "libjuggle/linux/clock.h"

#include <unistd.h>

static void other_collection(void)
{
    tell("process", steal_process(rank == 0 ? first : second));
    tell("process again", steal_process(first));
}

static void other_call(void)
{
    int64_t one = 1;

    tell(rank == 0 ? "process" : "sum",
         rank == 0 ? steal_process(first) : steal_sum(runtime, &one, 1));
    tell("sum again", steal_sum(runtime, &one, 1));
}

static void other_count(void)
{
    int64_t values[2] = {1, 1};

    tell("sum", steal_sum(runtime, values, rank == 0 ? 1 : 2));
}

static void departed(void)
{
    if (rank == 1)
        tell("process", steal_process(first));
}

static void bad_trace(void)
{
    tell("trace", steal_trace_write(runtime, "/proc/nonexistent/trace.csv"));
}

static void canceled(void)
{
    const int64_t task = 1;

    if (rank == 1 && steal_add(steal_seeder(runtime), second, &task, sizeof(task)) < 0)
        return;
    tell("process", steal_process(second));
    tell("process again", steal_process(second));
}

static void undestroyed(void)
{
    steal_collection_destroy(second);
    steal_collection_destroy(rank == 0 ? first : NULL);
    tell("destroy", steal_runtime_destroy(runtime));
    steal_collection_destroy(rank == 0 ? NULL : first);
    first = second = NULL;
}

/* Reserves, and does not commit. */
static void reserve(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct steal_collection **collection = local;
    void *room;

    (void)tasks, (void)count;
    if (steal_reserve(worker, *collection, 2, &room) < 0)
        fprintf(stderr, "the reservation was refused\n");
}

static void uncommitted(void)
{
    static struct steal_collection *third;
    const struct steal_properties properties = {.local = &third, .isolate = 1};
    const int64_t task = 1;

    if (open_collection(properties, "third", reserve, &third) < 0 ||
        (rank == 1 && steal_add(steal_seeder(runtime), third, &task, sizeof(task)) < 0))
        return;
    tell("process", steal_process(third));
    tell("process again", steal_process(third));
    steal_collection_destroy(third);
}

/* Each steal takes twenty tasks of 64 KiB, in twenty messages. */
static void large(void)
{
    enum { TASKS = 64 };
    static char task[STEAL_TASK_SIZE_MAX];
    const struct steal_properties properties = {
        .task_size = sizeof(task), .amount = STEAL_AMOUNT_CHUNK, .chunk = 20, .tasks = TASKS};
    struct steal_collection *collection;
    struct steal_statistics sum = {.size = sizeof(struct steal_statistics)};

    if (open_collection(properties, "large", nothing, &collection) < 0)
        return;
    for (int i = 0; rank == 0 && i < TASKS; i++)
        if (steal_add(steal_seeder(runtime), collection, task, sizeof(task)) < 0)
            return;
    tell("process", steal_process(collection));
    if (steal_statistics_sum(collection, &sum) == 0 && rank == 0)
        printf("%s: all executed: %d, 20 a steal: %d\n", scenario, sum.tasks_executed == TASKS,
               sum.tasks_taken == 20 * sum.steals_successful);
    steal_collection_destroy(collection);
}

static void latecomer(void)
{
    enum { LATE_US = 300000 };
    struct steal_statistics statistics = {.size = sizeof(struct steal_statistics)};
    int64_t came_ns;

    usleep(rank == 1 ? LATE_US : 0);
    came_ns = clock_now_ns();
    tell("process", steal_process(first));
    const int64_t left_ns = clock_now_ns();
    MPI_Bcast(&came_ns, 1, MPI_INT64_T, 1, MPI_COMM_WORLD);
    if (steal_statistics_rank(first, &statistics) == 0 && rank == 0)
        printf("%s: waited within: %d\n", scenario, statistics.elapsed_ns > left_ns - came_ns);
}

static void bad_communicators(void)
{
    MPI_Comm bad = MPI_COMM_NULL, half;
    struct steal_runtime *never;
    struct steal_error error = {""};
    int result = steal_runtime_create(&bad, NULL, &never, &error);

    printf("%s: rank %d, null: %d %s\n", scenario, rank, result, error.message);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 0, &bad);
    result = steal_runtime_create(&bad, NULL, &never, &error);
    printf("%s: rank %d, between groups: %d %s\n", scenario, rank, result, error.message);
    MPI_Comm_free(&bad);
    MPI_Comm_free(&half);
}

static const struct scenario scenarios[] = {
    {"other-collection", other_collection},
    {"other-call", other_call},
    {"other-count", other_count},
    {"departed", departed},
    {"bad-trace", bad_trace},
    {"canceled", canceled},
    {"undestroyed", undestroyed},
    {"uncommitted", uncommitted},
    {"large", large},
    {"latecomer", latecomer},
    {"bad-communicators", bad_communicators},
};

int main(int argc, char **argv)
{
    (void)argc;
    return play_all(argv + 1, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
}
