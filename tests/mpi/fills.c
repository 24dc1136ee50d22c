/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The disk of the file of results is full after a while: the process stops on all ranks, and goes
 * on when there is room again. Usage: fills FILE
 */
#include "libjuggle/steal.h"
#include "tests/mpi/leave.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { TASKS = 3000, WORDS = 64, ROOM = 1000 };

static struct steal_runtime *runtime;
static struct steal_collection *collection;
static _Atomic int64_t executed;

static void check(int result, const char *what)
{
    leave_if_failed(result, what, runtime, collection);
}

/* The result is the number of the task, many times. */
static void repeat(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const struct timespec pause = {.tv_nsec = 100000};
    uint64_t data[WORDS];

    (void)local, (void)count;
    for (size_t k = 0; k < WORDS; k++)
        memcpy(&data[k], tasks, sizeof(data[k]));
    executed++;
    nanosleep(&pause, NULL);
    if (steal_result(worker, data[0], data, sizeof(data)) < 0)
        check(steal_cancel(collection), steal_worker_message(worker));
}

/* As on a disk with that much room. */
static void limit(rlim_t bytes)
{
    struct rlimit now;

    if (getrlimit(RLIMIT_FSIZE, &now) < 0)
        exit(1);
    now.rlim_cur = bytes;
    if (setrlimit(RLIMIT_FSIZE, &now) < 0)
        exit(1);
}

/* Returns how many tasks have exactly one whole result in the file; -1: there is something else. */
static int results_count(const char *path)
{
    static char seen[TASKS];
    FILE *file = fopen(path, "r");
    uint64_t data[WORDS];
    int count = 0;

    while (file && fread(data, sizeof(data), 1, file) == 1) {
        for (size_t k = 0; k < WORDS; k++)
            if (data[k] != data[0] || data[0] >= TASKS || seen[data[0]])
                return -1;
        seen[data[0]] = 1;
        count++;
    }
    if (!file || fgetc(file) != EOF)
        return -1;
    fclose(file);
    return count;
}

static void play(const char *path)
{
    struct steal_properties properties = {
        .size = sizeof(properties), .task_size = sizeof(uint64_t), .results_path = path};
    const int rank = steal_rank(runtime);
    int64_t sum;

    check(steal_function_register(runtime, "repeat", repeat, &properties.function), "register");
    check(steal_collection_create(runtime, &properties, &collection), "create");
    for (uint64_t task = 0; rank == 0 && task < TASKS; task++)
        check(steal_add(steal_seeder(runtime), collection, &task, sizeof(task)), "add");
    if (rank == 0)
        limit(ROOM);
    const int result = steal_process(collection);
    if (rank == 0)
        limit(RLIM_INFINITY);
    printf("full: %d %s\n", result, steal_message(runtime));
    fflush(stdout);
    sum = executed;
    check(steal_sum(runtime, &sum, 1), "sum");
    if (rank == 0)
        printf("early: %d\n", sum < TASKS);
    check(steal_process(collection), "process again");
    sum = executed;
    check(steal_sum(runtime, &sum, 1), "sum");
    if (rank == 0)
        printf("executed: %" PRId64 ", results: %d\n", sum, results_count(path));
}

int main(int argc, char **argv)
{
    struct steal_error error;

    if (argc != 2 || steal_runtime_create(NULL, NULL, &runtime, &error) < 0)
        return 1;
    signal(SIGXFSZ, SIG_IGN);
    play(argv[1]);
    steal_collection_destroy(collection);
    return steal_runtime_destroy(runtime) < 0;
}
