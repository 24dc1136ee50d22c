/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An iterative program on many virtual ranks: the same tasks again and again, some of which change,
 * under one of the schemes of the retentive stealing paper. A checker that knows everything watches
 * that each task is executed once in each iteration, and no other one is.
 */
#ifndef JUGGLE_TESTS_ITERATIONS_H
#define JUGGLE_TESTS_ITERATIONS_H

#include "libjuggle/steal.h"

#include <stdbool.h>

enum { ITERATIONS_MAX = 32 };

struct iterations_settings {
    int ranks;
    int tasks; /* that exist in each iteration */
    int iterations;
    uint64_t seed;
    double replaced; /* share of the tasks that vanish after an iteration, for new ones to come */
    double drift;    /* what a task takes changes by up to this share in each iteration */
    bool scattered;  /* the first tasks are spread over the ranks; or else on few of them */
    bool rebalance;  /* before each iteration but the first */
    struct steal_balance balance;
    int isolate_from; /* no stealing from this iteration on; 0: stealing goes on */
    struct steal_properties properties; /* without function and task_size */
};

struct iteration {
    int64_t load_ns;
    int64_t load_max_ns; /* of a rank */
    int64_t predicted_max_ns;
    int64_t attempted;
    int64_t successful;
    int64_t moved;
    int64_t elapsed_ns; /* from the first rank's begin to the last one's end, virtual */
};

struct iterations_result {
    struct iteration iteration[ITERATIONS_MAX];
};

/* NULL if all is well, otherwise what is wrong. */
const char *iterations_run(const struct iterations_settings *settings,
                           struct iterations_result *result);

/* The greatest load of a rank by the average. */
double iteration_imbalance(const struct iterations_settings *settings,
                           const struct iteration *iteration);

#endif
