/* SPDX-License-Identifier: BSD-3-Clause */
/* Schemes: a table of how the tasks of an iteration are distributed over the ranks. */
#ifndef JUGGLE_ITERATE_SCHEME_H
#define JUGGLE_ITERATE_SCHEME_H

#include "libjuggle/steal.h"

#include <stdbool.h>

/* Where the tasks of an iteration after the first begin. */
enum scheme_seed {
    SEED_ALL,  /* all tasks are distributed anew, including the tasks that do nothing */
    SEED_LIVE, /* the same without the tasks that do nothing */
    SEED_KEPT, /* on the ranks where they were executed in the last iteration */
};

struct scheme {
    const char *name;
    enum scheme_seed seed;
    bool steals_first; /* in the first iteration, when no durations are known */
    bool steals;       /* in the other iterations */
    bool balances;     /* before each iteration from `balances_from` on, counted from 0 */
    int balances_from;
    enum steal_balancer balancer;
};

/* The rank on which a task begins that is added. */
enum start {
    START_DEALT,  /* round robin, because tasks with neighboring numbers cost about the same */
    START_BLOCKS, /* a block of consecutive tasks on each rank, of equal size */
};

/* Tasks `first`, `first + step`, ... below `end`. */
struct portion {
    int64_t first, end, step;
};

/* Returns the tasks of a rank, of `tasks_count` in all. */
struct portion start_portion(enum start start, int64_t tasks_count, int rank, int ranks);

/* Ends with a NULL name. */
extern const struct scheme schemes[];

/* Returns NULL if there is none of that name. */
const struct scheme *scheme_find(const char *name);

#endif
