/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ensemble of 10,000 tasks of 25 us to 10 ms, many short and few long, by a shared counter or by
 * stealing, the longest first in both: how long it takes, from a barrier to the last rank. Usage:
 *     ensemble counter|stealing LOOPS_PER_US
 * A task is a number of loops, so that ranks that share a processor take longer.
 */
#include "libjuggle/steal.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 10000 };

static const double LEAST_US = 25, MOST_US = 10000;

static double loops_per_us;
static volatile uint64_t sink;

/* The length of a task, by its place from the longest to the shortest: the number of tasks
 * longer than x is proportional to 1/x. */
static double length_us(long task)
{
    const double share = ((double)task + 0.5) / TASKS;

    return 1 / (1 / MOST_US + share * (1 / LEAST_US - 1 / MOST_US));
}

static void compute(long task)
{
    const long loops = lround(length_us(task) * loops_per_us);
    uint64_t value = (uint64_t)task;

    for (long i = 0; i < loops; i++)
        value = value * UINT64_C(6364136223846793005) + 1;
    sink = value;
}

static void execute(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local;
    for (size_t i = 0; i < count; i++)
        compute(((const int64_t *)tasks)[i]);
}

static double by_counter(void)
{
    long *counter, one = 1, task;
    MPI_Win window;
    double begin;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(rank == 0 ? sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &counter, &window);
    MPI_Win_lock_all(0, window);
    if (rank == 0)
        *counter = 0;
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (;;) {
        MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
        if (task >= TASKS)
            break;
        compute(task);
    }
    MPI_Win_unlock_all(window);
    begin = MPI_Wtime() - begin;
    MPI_Win_free(&window);
    return begin;
}

static double by_stealing(void)
{
    struct steal_properties properties = {
        .size = sizeof(properties), .task_size = sizeof(int64_t), .weighted = 1};
    struct steal_runtime *runtime;
    struct steal_collection *tasks;
    double begin;

    if (steal_runtime_create(NULL, NULL, &runtime, NULL) < 0 ||
        steal_function_register(runtime, "execute", execute, &properties.function) < 0 ||
        steal_collection_create(runtime, &properties, &tasks) < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int64_t task = steal_rank(runtime); task < TASKS; task += steal_ranks(runtime))
        if (steal_add_weighted(steal_seeder(runtime), tasks, lround(1000 * length_us(task)), &task,
                               sizeof(task)) < 0)
            MPI_Abort(MPI_COMM_WORLD, 1);
    if (steal_process(tasks) < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    begin = MPI_Wtime() - begin;
    steal_collection_destroy(tasks);
    if (steal_runtime_destroy(runtime) < 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return begin;
}

int main(int argc, char **argv)
{
    double taken;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 3)
        return fprintf(stderr, "usage: ensemble counter|stealing LOOPS_PER_US\n"), 2;
    loops_per_us = atof(argv[2]);
    taken = strcmp(argv[1], "counter") == 0 ? by_counter() : by_stealing();
    MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.4f\n", taken);
    MPI_Finalize();
    return 0;
}
