/* SPDX-License-Identifier: BSD-3-Clause */
/* The lone rank with a collection that is stopped, or writes a checkpoint, and is continued. */
#ifndef JUGGLE_TESTS_LIB_KEPT_H
#define JUGGLE_TESTS_LIB_KEPT_H

#include "tests/lib/lone.h"

#include <stdatomic.h>

enum { KEPT_TASKS = 40, KEPT_DATA = 13 };

struct kept {
    char path[64];
    atomic_int visits[4 * KEPT_TASKS];
    atomic_int executed;
    int stop_at, save_at; /* after this number of tasks; 0: never */
    unsigned char data[KEPT_DATA];
};

extern struct kept kept;

/* Called by each task: counts it, adds its number to the storage, and stops or saves if the run
 * wants that. */
void kept_count(struct steal_worker *worker, uint64_t task);

/* Each task below KEPT_TASKS adds one that is KEPT_TASKS more. */
void kept_play(struct steal_worker *worker, void *local, const void *tasks, size_t number);

/* Opens another run, which neither stops nor saves yet. */
void kept_begin(struct steal_properties properties, const struct steal_options *options,
                steal_exec *exec);

/* Opens the first run: nothing is counted, and no checkpoint exists. */
void kept_begin_anew(struct steal_properties properties, const struct steal_options *options,
                     steal_exec *exec);

/* Adds all tasks below KEPT_TASKS. */
void kept_seed(void);

/* Calls steal_checkpoint() with the path and the data of `kept`. */
int kept_checkpoint(void);

void kept_expect_all_once(uint64_t tasks);

/* Returns the sum of all storage. */
int64_t kept_sum(void);

#endif
