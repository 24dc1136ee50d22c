/* SPDX-License-Identifier: BSD-3-Clause */
/* The lone rank with a collection that is stopped, or writes a checkpoint, and is continued. */
#ifndef JUGGLE_TESTS_LIB_CHECKPOINTED_H
#define JUGGLE_TESTS_LIB_CHECKPOINTED_H

#include "tests/lib/lone.h"

#include <stdatomic.h>

enum { CHECKPOINTED_TASKS = 40, CHECKPOINTED_DATA = 13 };

struct checkpointed {
    char path[64];
    atomic_int visits[4 * CHECKPOINTED_TASKS];
    atomic_int executed;
    int stop_at, save_at; /* after this number of tasks; 0: never */
    unsigned char data[CHECKPOINTED_DATA];
};

extern struct checkpointed checkpointed;

/* Called by each task: counts it, adds its number to the storage, and stops or saves if the run
 * wants that. */
void checkpointed_count(struct steal_worker *worker, uint64_t task);

/* Each task below CHECKPOINTED_TASKS adds one that is CHECKPOINTED_TASKS more. */
void checkpointed_note(struct steal_worker *worker, void *local, const void *tasks, size_t number);

/* Opens another run, which neither stops nor saves yet. */
void checkpointed_begin(struct steal_properties properties, const struct steal_options *options,
                        steal_exec *exec);

/* Opens the first run: nothing is counted, and no checkpoint exists. */
void checkpointed_begin_anew(struct steal_properties properties,
                             const struct steal_options *options, steal_exec *exec);

/* Adds all tasks below CHECKPOINTED_TASKS. */
void checkpointed_seed(void);

/* Calls steal_checkpoint() with the path and the data of `checkpointed`. */
int checkpointed_write(void);

void checkpointed_expect_all_once(uint64_t tasks);

/* Returns the sum of all storage. */
int64_t checkpointed_sum(void);

#endif
