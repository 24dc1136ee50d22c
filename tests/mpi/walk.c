/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walks a synthetic tree over MPI and prints the results; the script beside it compares them.
 *
 *     walk [depth=14] [batch=1] [victim=uniform] [amount=half] [end=tree] [mode=polling]
 *          [lifelines=0] [tries=0] [workers=1] [spin=0] [rounds=1] [TRACE...]
 *
 * The tree has 2^depth nodes, more or less. "all" goes through all values of a strategy. With files
 * for traces, progress is reported too.
 */
#include "libjuggle/steal.h"

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    uint64_t id;
    uint32_t below; /* log2 of the number of nodes below it, approximately */
    uint32_t pad;
};

struct tally {
    struct steal_collection *tree;
    int spin;
    struct {
        _Alignas(64) int64_t nodes;
        uint64_t digest;
    } worker[64];
};

static uint64_t scramble(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* A node with 2^b nodes below has two children that share them unevenly. */
static void walk(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct tally *tally = local;
    const struct node *node = tasks;
    int index = steal_worker_index(worker);
    struct node *child;

    for (size_t i = 0; i < count; i++) {
        uint64_t hash = node[i].id;

        for (int spin = 0; spin < tally->spin; spin++)
            hash = scramble(hash + 1);
        tally->worker[index].nodes++;
        tally->worker[index].digest += hash;
        if (node[i].below == 0)
            continue;
        if (steal_reserve(worker, tally->tree, 2, (void **)&child) < 0) {
            fprintf(stderr, "walk: %s\n", steal_worker_message(worker));
            exit(1);
        }
        child[0] = (struct node){.id = scramble(2 * node[i].id), .below = node[i].below - 1};
        child[1] = (struct node){.id = scramble(2 * node[i].id + 1),
                                 .below = node[i].below - 1 -
                                          (node[i].below > 3 && node[i].id % 3 == 0)};
        steal_commit(worker, tally->tree, 2);
    }
}

static void must(struct steal_runtime *runtime, int result)
{
    if (result == 0)
        return;
    fprintf(stderr, "walk: %s\n", steal_message(runtime));
    exit(1);
}

static void print(const int64_t *values, const struct steal_statistics *sum)
{
    const double ms = (double)NSEC_PER_MSEC;

    printf("%ld %lx %ld | %.3f ms, %.2f nodes/us, steals %ld/%ld, shares %ld, taken %ld, "
           "work %.2f search %.2f answer %.2f end %.2f ms\n",
           (long)values[0], (unsigned long)values[1], (long)sum->tasks_executed,
           (double)sum->elapsed_ns / ms, (double)values[0] * 1e3 / (double)sum->elapsed_ns,
           (long)sum->steals_successful, (long)sum->steals_attempted, (long)sum->shares,
           (long)sum->tasks_taken, (double)sum->state_ns[STEAL_STATE_WORKING] / ms,
           (double)sum->state_ns[STEAL_STATE_SEARCHING] / ms,
           (double)sum->state_ns[STEAL_STATE_ANSWERING] / ms,
           (double)sum->state_ns[STEAL_STATE_TERMINATING] / ms);
}

static void process(struct steal_runtime *runtime, struct tally *tally, uint32_t below)
{
    struct node root = {.id = 1, .below = below};
    struct steal_statistics sum = {.size = sizeof(struct steal_statistics)};
    int64_t values[2] = {0, 0};

    memset(tally->worker, 0, sizeof(tally->worker));
    if (steal_rank(runtime) == 0)
        must(runtime, steal_add(steal_seeder(runtime), tally->tree, &root, sizeof(root)));
    must(runtime, steal_process(tally->tree));
    for (int i = 0; i < steal_workers(runtime); i++) {
        values[0] += tally->worker[i].nodes;
        values[1] += (int64_t)tally->worker[i].digest;
    }
    must(runtime, steal_sum(runtime, values, ARRAY_COUNT(values)));
    must(runtime, steal_statistics_sum(tally->tree, &sum));
    if (steal_rank(runtime) == 0)
        print(values, &sum);
}

/* A program would draw a line on the terminal here. */
static void report(void *context, const struct steal_progress *progress)
{
    (void)context;
    printf("progress: %ld tasks, %d of %d ranks active\n", (long)progress->tasks_executed,
           progress->ranks_active, progress->ranks);
}

static bool chosen(enum steal_choice which, int value, const char *name)
{
    return strcmp(name, "all") == 0 || strcmp(name, steal_choice_name(which, value)) == 0;
}

/* The value of the argument `name=value`, else the default. */
static const char *argument(char **argv, const char *name, const char *standard)
{
    const size_t length = strlen(name);

    for (int i = 1; argv[i]; i++)
        if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
            return argv[i] + length + 1;
    return standard;
}

static int number(char **argv, const char *name, const char *standard)
{
    return atoi(argument(argv, name, standard));
}

/* The index of the first argument without a name, or argc. */
static int traces_first(char **argv)
{
    int i = 1;

    while (argv[i] && strchr(argv[i], '='))
        i++;
    return i;
}

int main(int argc, char **argv)
{
    static struct tally tally;
    struct steal_options options = {.size = sizeof(struct steal_options)};
    struct steal_properties properties = {
        .size = sizeof(struct steal_properties), .task_size = sizeof(struct node), .local = &tally};
    const char *victims = argument(argv, "victim", "uniform");
    const char *amounts = argument(argv, "amount", "half");
    const char *ends = argument(argv, "end", "tree");
    const int traces = traces_first(argv);
    struct steal_runtime *runtime;
    struct steal_error error;
    int mode;

    if (steal_choice_parse(STEAL_CHOICE_MODE, argument(argv, "mode", "polling"), &mode) < 0)
        return 2;
    properties.batch = (size_t)number(argv, "batch", "1");
    properties.lifelines = number(argv, "lifelines", "0");
    properties.tries = number(argv, "tries", "0");
    options.mode = (enum steal_mode)mode;
    options.workers = mode == STEAL_MODE_THREADS ? number(argv, "workers", "1") : 0;
    tally.spin = number(argv, "spin", "0");
    if (argc > traces) {
        options.trace_events = 10000;
        options.progress = report;
        options.progress_interval_ns = NSEC_PER_MSEC;
    }
    if (steal_runtime_create(NULL, &options, &runtime, &error) < 0) {
        fprintf(stderr, "walk: %s\n", error.message);
        return 1;
    }
    must(runtime, steal_function_register(runtime, "walk", walk, &properties.function));
    for (int victim = 0; steal_choice_name(STEAL_CHOICE_VICTIM, victim); victim++)
        for (int amount = 0; steal_choice_name(STEAL_CHOICE_AMOUNT, amount); amount++)
            for (int end = 0; steal_choice_name(STEAL_CHOICE_TERMINATION, end); end++) {
                if (!chosen(STEAL_CHOICE_VICTIM, victim, victims) ||
                    !chosen(STEAL_CHOICE_AMOUNT, amount, amounts) ||
                    !chosen(STEAL_CHOICE_TERMINATION, end, ends))
                    continue;
                properties.victim = (enum steal_victim)victim;
                properties.amount = (enum steal_amount)amount;
                properties.termination = (enum steal_termination)end;
                must(runtime, steal_collection_create(runtime, &properties, &tally.tree));
                for (int round = 0; round < number(argv, "rounds", "1"); round++)
                    process(runtime, &tally, (uint32_t)number(argv, "depth", "14"));
                steal_collection_destroy(tally.tree);
            }
    for (int i = traces; i < argc; i++)
        must(runtime, steal_trace_write(runtime, argv[i]));
    steal_runtime_destroy(runtime);
    return 0;
}
