/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An iterative program on many virtual ranks, under one of the schemes of the retentive stealing
 * paper. Each iteration executes the same tasks, except that some change and some are replaced. A
 * checker sees all ranks: each existing task is executed once in each iteration, and no other one.
 */
#ifndef JUGGLE_TESTS_ITERATIONS_H
#define JUGGLE_TESTS_ITERATIONS_H

#include "libjuggle/steal.h"

#include <stdbool.h>

enum { ITERATIONS_MAX = 32 };

struct iterations_settings {
    int ranks;
    int tasks; /* number of tasks in each iteration */
    int iterations;
    uint64_t seed;
    double replaced; /* share of the tasks that new ones replace after each iteration */
    double drift;    /* a task's duration changes by up to this share after each iteration */
    bool scattered;  /* tasks are added on all ranks; otherwise on the first 1 + ranks / 8 */
    bool rebalance;  /* before each iteration but the first */
    struct steal_balance balance;
    int isolate_from; /* no stealing from this iteration on; 0: stealing goes on */
    struct steal_properties properties; /* function, size, task_size, memory_max, local, retain and
                                           seed are set by iterations_run() */
};

struct iteration {
    int64_t load_ns;
    int64_t load_max_ns; /* greatest load of a rank */
    int64_t predicted_max_ns;
    int64_t attempted;
    int64_t successful;
    int64_t moved;
    int64_t elapsed_ns; /* from the first rank's begin to the last one's end, virtual */
};

struct iterations_result {
    struct iteration iteration[ITERATIONS_MAX];
};

/* Runs the iterations. Returns NULL if all is well, otherwise a text that says what is wrong. */
const char *iterations_run(const struct iterations_settings *settings,
                           struct iterations_result *result);

/* Returns the greatest load of a rank, divided by the average load. */
double iteration_imbalance(const struct iterations_settings *settings,
                           const struct iteration *iteration);

#endif
