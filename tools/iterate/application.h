/* SPDX-License-Identifier: BSD-3-Clause */
/* An iterative application: numbered tasks, the same in each iteration, executed by the ranks of an
 * MPI program under a scheme. What the tasks compute is the application's. */
#ifndef JUGGLE_ITERATE_APPLICATION_H
#define JUGGLE_ITERATE_APPLICATION_H

#include "libjuggle/ground/units.h"
#include "tools/iterate/scheme.h"

#include <stdio.h>

struct application {
    const char *program;
    int64_t tasks_count;
    void *context;
    /* With the number of workers of this rank, before all else. */
    int (*open)(void *context, int workers_count);
    /* Before each iteration, on all ranks. */
    void (*begin)(void *context);
    /* False: the task has nothing to do, in no iteration. Workers are 0 to workers_count - 1. */
    bool (*execute)(void *context, int worker, int64_t task);
    /* After each, on all ranks, collectively: *done ends the iterations. */
    int (*end)(void *context, struct steal_runtime *runtime, bool *done);
};

/* Options that all applications share. */
struct iterate_options {
    const char *scheme_name;
    enum start start;
    enum steal_order order;
    int iterations;
    enum steal_mode mode;
    int threads;
    int arity;
    double tolerance;
    enum steal_donation donation;
    enum steal_prediction prediction;
    const char *durations; /* file to write the tasks' durations to, or NULL */
    bool json;
    bool progress;
    bool dry_run;
};

/* What one iteration took, over all ranks. */
struct iteration {
    double time_s;
    double efficiency;          /* what tasks took, over what all workers had */
    double imbalance;           /* the greatest load of a rank over the average */
    double predicted_imbalance; /* the same as expected before; 0: nothing was expected */
    int64_t steals_attempted, steals_successful;
    int64_t tasks_moved; /* by stealing and by balancing */
    double balance_s;
};

struct run {
    int ranks_count;
    int workers_count; /* of all ranks */
    int iterations_count;
    struct iteration *iteration;
    int export_error; /* the run is good, but durations are not in their file: it was said why */
};

/* Runs the application; every rank learns the same of how it went, but only rank 0 prints. Returns
 * 0 or -errno after complaining. */
int application_run(const struct application *application, const struct iterate_options *options,
                    struct run *run, bool *is_root) MUST_CHECK;
void run_destroy(struct run *run);

#endif
