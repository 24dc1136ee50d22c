/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that can be killed at any time and goes on from its checkpoint, if JUGGLE_STEAL names
 * one: however often that happened, the final result is the same to the last bit. Usage:
 *
 *     resume SCENARIO WORK_US [KILL_US [RESULTS]]
 *
 * A task computes for WORK_US microseconds. With KILL_US above 0 one rank is killed after about
 * that number of microseconds; below 0 it gets a signal that stops all ranks. Prints "stopped" if
 * it was stopped before all tasks were done.
 */
#include "libjuggle/linux/clock.h"
#include "libjuggle/steal.h"
#include "tests/mpi/leave.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHAINS = 600, DEPTH = 4, EDGE = 40, TASKS = 1500, ROUNDS = 3 };

struct sums {
    int64_t tasks;
    uint64_t sum;
};

static struct {
    struct steal_runtime *runtime;
    struct steal_collection *collection;
    int64_t work_ns, kill_us;
    const char *results;
    int64_t round; /* stored in the checkpoint */
    volatile sig_atomic_t stop;
} program;

static void check(int result, const char *what)
{
    leave_if_failed(result, what, program.runtime, program.collection);
}

static void work(struct steal_worker *worker, uint64_t task)
{
    struct sums *sums = steal_storage(worker, program.collection);
    const int64_t end_ns = clock_now_ns() + program.work_ns;

    while (clock_now_ns() < end_ns)
        continue;
    sums->tasks++;
    sums->sum += (task + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
}

static void add(struct steal_worker *worker, uint64_t task)
{
    check(steal_add(worker, program.collection, &task, sizeof(task)), "add");
}

static void create(steal_exec *exec, struct steal_properties properties)
{
    check(steal_function_register(program.runtime, "work", exec, &properties.function), "register");
    properties.size = sizeof(properties);
    properties.task_size = sizeof(uint64_t);
    properties.storage = sizeof(struct sums);
    check(steal_collection_create(program.runtime, &properties, &program.collection), "create");
}

/* Returns whether this run continues another one. The environment names the file. */
static int resumed(void)
{
    const struct steal_checkpoint settings = {
        .size = sizeof(settings), .data = &program.round, .data_size = sizeof(program.round)};
    const int result = steal_checkpoint(program.collection, &settings);

    check(result, "checkpoint");
    if (program.stop)
        check(steal_stop(program.collection), "stop");
    return result;
}

static int process(void)
{
    const int result = steal_process(program.collection);

    check(result, "process");
    if (result == STEAL_STOPPED && steal_rank(program.runtime) == 0)
        printf("stopped\n");
    return result;
}

/* ---- scenarios ----------------------------------------------------------------------------- */

/* Tasks that add tasks, and results in the order of their numbers. */
static void chain(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)local;
    for (size_t i = 0; i < count; i++) {
        const uint64_t task = ((const uint64_t *)tasks)[i];

        work(worker, task);
        if (program.results)
            check(steal_result(worker, task, &task, sizeof(task)), "result");
        if (task / CHAINS < DEPTH - 1)
            add(worker, task + CHAINS);
    }
}

static int chains(void)
{
    create(chain, (struct steal_properties){.results_path = program.results,
                                            .results = program.results ? STEAL_RESULTS_BY_ID : 0});
    if (!resumed())
        for (uint64_t task = (uint64_t)steal_rank(program.runtime); task < CHAINS;
             task += (uint64_t)steal_ranks(program.runtime))
            add(steal_seeder(program.runtime), task);
    return process();
}

/* Tasks that wait for others. */
static void block(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const uint64_t *task = tasks;

    (void)local;
    for (size_t i = 0; i < count; i++) {
        work(worker, task[i]);
        if (task[i] % EDGE < EDGE - 1)
            check(steal_count_down(worker, program.collection, task[i] + 1), "count down");
        if (task[i] + EDGE < EDGE * EDGE)
            check(steal_count_down(worker, program.collection, task[i] + EDGE), "count down");
    }
}

static int blocks(void)
{
    create(block, (struct steal_properties){.waiting = 1});
    if (!resumed())
        for (uint64_t task = (uint64_t)steal_rank(program.runtime); task < EDGE * EDGE;
             task += (uint64_t)steal_ranks(program.runtime))
            check(steal_add_waiting(steal_seeder(program.runtime), program.collection, task,
                                    (task % EDGE > 0) + (task >= EDGE), &task, sizeof(task)),
                  "add waiting");
    return process();
}

/* Tasks that come again, the longest first. */
static void step(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)local;
    for (size_t i = 0; i < count; i++)
        work(worker, ((const uint64_t *)tasks)[i]);
}

static int steps(void)
{
    int result;

    create(step, (struct steal_properties){.retain = STEAL_RETENTION_SEEDED, .weighted = 1});
    if (!resumed())
        for (uint64_t task = (uint64_t)steal_rank(program.runtime); task < TASKS;
             task += (uint64_t)steal_ranks(program.runtime))
            check(steal_add_weighted(steal_seeder(program.runtime), program.collection,
                                     100 + (int64_t)task, &task, sizeof(task)),
                  "add weighted");
    while ((result = process()) == 0 && ++program.round < ROUNDS)
        check(steal_restore(program.collection), "restore");
    return result;
}

/* ---- the program --------------------------------------------------------------------------- */

/* A timer does it, so it happens at any instruction. */
static void kill_later(void)
{
    const int64_t after_us = llabs(program.kill_us);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
                             .sigev_signo = program.kill_us < 0 ? SIGUSR1 : SIGKILL};
    struct itimerspec when = {0};
    timer_t timer;

    srand((unsigned)(time(NULL) ^ getpid()));
    if (after_us == 0 || after_us % steal_ranks(program.runtime) != steal_rank(program.runtime))
        return;
    when.it_value.tv_sec = after_us / 1000000;
    when.it_value.tv_nsec = after_us % 1000000 * 1000 + rand() % 1000;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        timer_settime(timer, 0, &when, NULL);
}

static void combine(void *context, void *into, const void *from)
{
    struct sums *all = into;
    const struct sums *other = from;

    (void)context;
    all->tasks += other->tasks;
    all->sum += other->sum;
}

/* SIGUSR1 stops it. */
static void on_signal(int number)
{
    (void)number;
    program.stop = 1;
    steal_stop(program.collection); /* NOLINT(bugprone-signal-handler): may be called here */
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } scenarios[] = {{"chains", chains}, {"blocks", blocks}, {"steps", steps}};
    struct steal_error error;
    struct sums sums;
    size_t which = 0;

    while (which < 3 && argc > 2 && strcmp(argv[1], scenarios[which].name) != 0)
        which++;
    if (argc < 3 || which == 3)
        return fprintf(stderr, "usage: resume chains|blocks|steps WORK_US [KILL_US [RESULTS]]\n"),
               2;
    program.work_ns = 1000 * atol(argv[2]);
    program.kill_us = argc > 3 ? atol(argv[3]) : 0;
    program.results = argc > 4 ? argv[4] : NULL;
    if (steal_runtime_create(NULL, NULL, &program.runtime, &error) < 0)
        return printf("%s\n", error.message), 1;
    signal(SIGUSR1, on_signal);
    kill_later();
    if (scenarios[which].run() == 0) {
        check(steal_reduce_with(program.collection, combine, NULL, &sums), "reduce");
        if (steal_rank(program.runtime) == 0)
            printf("%" PRId64 " tasks, sum %" PRIx64 "\n", sums.tasks, sums.sum);
    }
    steal_collection_destroy(program.collection);
    return steal_runtime_destroy(program.runtime) < 0;
}
