/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same tasks again and again over MPI; the script beside it compares the results. Prints for
 * each iteration what was executed, and the cost of balancing.
 *
 *     iterate TASKS ITERATIONS SCHEME MODE WORKERS BATCH [LOAD [SAVE]]
 *
 * SCHEME: retain, central, hierarchical, combined; anew: hierarchical, with all tasks added again;
 * nodes: hierarchical, within nodes first.
 * The tasks are on the first half of the ranks, all on rank 0 if there are two. Ledgers are loaded
 * before the first iteration, unless the name is empty, and saved after the last.
 */
#include "libjuggle/steal.h"

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MAX = 64 };

struct tally {
    struct {
        _Alignas(64) int64_t tasks;
        uint64_t digest;
    } worker[WORKERS_MAX];
};

static uint64_t scramble(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static uint64_t key(const void *local, const void *task)
{
    (void)local;
    return *(const uint64_t *)task;
}

/* Reports that it has taken 1 to 8 microseconds. */
static void execute(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct tally *tally = local;
    const uint64_t *task = tasks;
    const int index = steal_worker_index(worker);

    for (size_t i = 0; i < count; i++) {
        tally->worker[index].tasks++;
        tally->worker[index].digest += scramble(task[i]);
        steal_took(worker, i, 1000 + (int64_t)(scramble(task[i] + 1) % 7000));
    }
}

static void must(struct steal_runtime *runtime, int result)
{
    if (result == 0)
        return;
    fprintf(stderr, "iterate: %s\n", steal_message(runtime));
    exit(1);
}

static void seed(struct steal_runtime *runtime, struct steal_collection *collection, int64_t tasks)
{
    const int seeded = (steal_ranks(runtime) + 1) / 2, rank = steal_rank(runtime);

    for (int64_t i = rank; i < tasks && rank < seeded; i += seeded) {
        const uint64_t task = (uint64_t)i + 1;

        must(runtime, steal_add(steal_seeder(runtime), collection, &task, sizeof(task)));
    }
}

static void report(struct steal_runtime *runtime, struct steal_collection *collection,
                   const struct tally *tally)
{
    int64_t values[2] = {0};
    struct steal_statistics sum = {.size = sizeof(struct steal_statistics)};

    for (int i = 0; i < steal_workers(runtime); i++) {
        values[0] += tally->worker[i].tasks;
        values[1] += (int64_t)tally->worker[i].digest;
    }
    must(runtime, steal_sum(runtime, values, ARRAY_COUNT(values)));
    must(runtime, steal_statistics_sum(collection, &sum));
    if (steal_rank(runtime) != 0)
        return;
    printf("%ld %lx | imbalance %.4f, predicted %.4f, moved %ld in %.3f ms, steals %ld/%ld\n",
           (long)values[0], (unsigned long)values[1],
           (double)sum.load_max_ns * steal_ranks(runtime) / (double)sum.load_ns,
           sum.predicted_ns > 0
               ? (double)sum.predicted_max_ns * steal_ranks(runtime) / (double)sum.predicted_ns
               : 0,
           (long)sum.tasks_moved, (double)sum.balance_ns / (double)NSEC_PER_MSEC,
           (long)sum.steals_successful, (long)sum.steals_attempted);
}

static void iterate(struct steal_runtime *runtime, struct steal_properties properties,
                    const char *scheme, char **argv)
{
    static struct tally tally;
    const bool rebalance = strcmp(scheme, "retain") != 0;
    const bool anew = strcmp(scheme, "anew") == 0;
    const char *load = argv[7] && argv[7][0] ? argv[7] : NULL;
    const char *save = argv[7] ? argv[8] : NULL;
    const bool alone = rebalance && strcmp(scheme, "combined") != 0;
    struct steal_balance balance = {.size = sizeof(struct steal_balance)};
    struct steal_collection *collection;

    if (strcmp(scheme, "central") == 0)
        balance.balancer = STEAL_BALANCER_CENTRAL;
    balance.within_nodes = strcmp(scheme, "nodes") == 0;
    properties.local = &tally;
    properties.key = key;
    properties.isolate = alone;
    must(runtime, steal_collection_create(runtime, &properties, &collection));
    seed(runtime, collection, atoll(argv[1]));
    if (load && steal_ledger_load(collection, load) < 0)
        fprintf(stderr, "iterate: %s\n", steal_message(runtime));
    for (int i = 0; i < atoi(argv[2]); i++) {
        memset(&tally, 0, sizeof(tally));
        if (rebalance && (i > 0 || load))
            must(runtime, steal_rebalance(collection, &balance));
        must(runtime, steal_process(collection));
        report(runtime, collection, &tally);
        if (!anew)
            must(runtime, steal_restore(collection));
        else if (i + 1 < atoi(argv[2]))
            seed(runtime, collection, atoll(argv[1]));
    }
    if (save)
        must(runtime, steal_ledger_save(collection, save));
    must(runtime, steal_collection_destroy(collection));
}

int main(int argc, char **argv)
{
    struct steal_options options = {.size = sizeof(struct steal_options)};
    struct steal_properties properties = {.size = sizeof(struct steal_properties),
                                          .task_size = sizeof(uint64_t),
                                          .retain = STEAL_RETENTION_SEEDED};
    struct steal_runtime *runtime;
    struct steal_error error;
    int mode;

    if (argc < 7 || steal_choice_parse(STEAL_CHOICE_MODE, argv[4], &mode) < 0)
        return 2;
    options.mode = (enum steal_mode)mode;
    options.workers = mode == STEAL_MODE_THREADS ? atoi(argv[5]) : 0;
    properties.batch = (size_t)atoi(argv[6]);
    if (steal_runtime_create(NULL, &options, &runtime, &error) < 0) {
        fprintf(stderr, "iterate: %s\n", error.message);
        return 1;
    }
    must(runtime, steal_function_register(runtime, "execute", execute, &properties.function));
    iterate(runtime, properties, argv[3], argv);
    steal_runtime_destroy(runtime);
    return 0;
}
