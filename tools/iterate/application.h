/* SPDX-License-Identifier: BSD-3-Clause */
/* An iterative application: numbered tasks, the same in each iteration, executed by the ranks of an
 * MPI program under a scheme. The application defines what the tasks compute. */
#ifndef JUGGLE_ITERATE_APPLICATION_H
#define JUGGLE_ITERATE_APPLICATION_H

#include "libjuggle/ground/units.h"
#include "tools/iterate/scheme.h"

#include <stdio.h>

struct application {
    const char *program;
    int64_t tasks_count;
    void *context;
    /* Called first, with the number of workers of this rank. */
    int (*open)(void *context, int workers_count);
    /* Called before each iteration, on all ranks. */
    void (*begin)(void *context);
    /* Executes a task. Returns false if the task has nothing to do in any iteration. Workers are 0
     * to workers_count - 1. */
    bool (*execute)(void *context, int worker, int64_t task);
    /* Called after each iteration, on all ranks, collectively; *done ends the iterations. */
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

/* The results of one iteration, over all ranks. */
struct iteration {
    double time_s;
    double efficiency;          /* time of all tasks, over the time of all workers */
    double imbalance;           /* the greatest load of a rank over the average */
    double predicted_imbalance; /* the same, predicted before the iteration; 0: no prediction */
    int64_t steals_attempted, steals_successful;
    int64_t tasks_moved; /* by stealing and by balancing */
    double balance_s;
};

struct run {
    int ranks_count;
    int workers_count; /* of all ranks */
    int iterations_count;
    struct iteration *iteration;
    int export_error; /* -errno if durations could not be written; already reported to the user */
};

/* Runs the application. The results are the same on every rank, but only rank 0 prints. Returns 0,
 * or -errno after complaining. */
int application_run(const struct application *application, const struct iterate_options *options,
                    struct run *run, bool *is_root) MUST_CHECK;
void run_destroy(struct run *run);

#endif
