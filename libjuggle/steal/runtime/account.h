/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What became of the tasks of each function, over all ranks and all steal_process() of a runtime,
 * for the line at the end that the option `report` asks for.
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
    int64_t working_ns, idle_ns;   /* of all workers */
    int64_t elapsed_ns;            /* of the longest rank, each time */
    double load_max_ns;            /* where tasks ran: of the busiest rank, each time */
    double arose_max_ns;           /* where they were added: if each took the average */
    double load_mean_ns;
    /* Of the collection processed last. */
    size_t batch;
    int lifelines;
    bool retains, balances, ordered;
};

/* What a reader should know of the machine. */
struct account_scene {
    const char *name; /* of the function */
    int ranks;
    int workers; /* of a rank */
    bool crowded;
};

/* Collective, after a process, where the option is set: the same on all ranks. */
int account_add(struct steal_collection *collection) MUST_CHECK;

/* What would be better, from what is known. */
const char *account_advise(const struct account *account, const struct account_scene *scene);

/* The line, without its end. */
void account_line(const struct account *account, const struct account_scene *scene, char *line,
                  size_t size);

/* On rank 0: says it all, on standard error. */
void account_tell(const struct steal_runtime *runtime);

#endif
