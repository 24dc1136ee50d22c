/* SPDX-License-Identifier: BSD-3-Clause */
/* How the tasks of one iteration get to where they are executed in the next: tables, not code. */
#ifndef JUGGLE_ITERATE_SCHEME_H
#define JUGGLE_ITERATE_SCHEME_H

#include "libjuggle/steal.h"

#include <stdbool.h>

/* Where the tasks of an iteration after the first begin. */
enum scheme_seed {
    SEED_ALL,  /* all tasks dealt out anew, those that do nothing included */
    SEED_LIVE, /* the same, without these */
    SEED_KEPT, /* where they were executed */
};

struct scheme {
    const char *name;
    enum scheme_seed seed;
    bool steals_first; /* in the first iteration, in which nothing is known */
    bool steals;       /* in the others */
    bool balances;     /* before each from `balances_from` on, counted from 0 */
    int balances_from;
    enum steal_balancer balancer;
};

/* Where tasks begin that are added. */
enum start {
    START_DEALT,  /* every ranks-th task on the same rank: neighbors, which cost alike, dealt out */
    START_BLOCKS, /* tasks that follow each other on the same rank, as many on each */
};

/* Tasks `first`, `first + step`, ... below `end`. */
struct portion {
    int64_t first, end, step;
};

/* Of `tasks_count` tasks, those of a rank. */
struct portion start_portion(enum start start, int64_t tasks_count, int rank, int ranks);

/* Ends with a NULL name. */
extern const struct scheme schemes[];

/* NULL: there is none of that name. */
const struct scheme *scheme_find(const char *name);

#endif
