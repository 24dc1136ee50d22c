/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds up what became of the tasks of each function, over all ranks and all steal_process() of a
 * runtime, and writes the line at the end that the option `report` asks for.
 */
#ifndef JUGGLE_STEAL_RUNTIME_ACCOUNT_H
#define JUGGLE_STEAL_RUNTIME_ACCOUNT_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stddef.h>

struct steal_collection;
struct steal_runtime;

/* The same on all ranks. */
struct account {
    int64_t processes;
    int64_t tasks;
    int64_t attempted, successful; /* steals between ranks */
    int64_t working_ns, idle_ns;   /* sums over all workers */
    int64_t elapsed_ns;            /* of the slowest rank, summed over processes */
    double load_max_ns;  /* load where tasks ran; of the busiest rank, summed over processes */
    double arose_max_ns; /* load where tasks were added, if each took the average; of the busiest
                            rank, summed over processes */
    double load_mean_ns;
    /* Of the latest collection that was processed. */
    size_t batch;
    int lifelines;
    bool retains, balances, ordered;
};

/* What the line says of the machine. */
struct account_scene {
    const char *name; /* of the function */
    int ranks;
    int workers; /* workers of each rank */
    bool crowded;
};

/* Collective, after a process, if the option is set. Adds the process to the account, which is the
 * same on all ranks. */
int account_add(struct steal_collection *collection) MUST_CHECK;

/* Returns advice to the user, from what is known. */
const char *account_advise(const struct account *account, const struct account_scene *scene);

/* Writes the line to `line`, without a newline. */
void account_line(const struct account *account, const struct account_scene *scene, char *line,
                  size_t size);

/* On rank 0: writes a line for each function to standard error. */
void account_tell(const struct steal_runtime *runtime);

#endif
