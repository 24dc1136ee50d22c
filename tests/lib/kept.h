/* SPDX-License-Identifier: BSD-3-Clause */
/* The lone rank with a collection that is stopped, or keeps a checkpoint, and goes on. */
#ifndef JUGGLE_TESTS_LIB_KEPT_H
#define JUGGLE_TESTS_LIB_KEPT_H

#include "tests/lib/lone.h"

#include <stdatomic.h>

enum { KEPT_TASKS = 40, KEPT_DATA = 13 };

struct kept {
    char path[64];
    atomic_int visits[4 * KEPT_TASKS];
    atomic_int executed;
    int stop_at, save_at; /* after so many tasks; 0: never */
    unsigned char data[KEPT_DATA];
};

extern struct kept kept;

/* What a task does, whatever else: it is counted, adds its number to the storage, and stops or
 * saves as the run wants. */
void kept_count(struct steal_worker *worker, uint64_t task);

/* Each task below KEPT_TASKS adds one that is KEPT_TASKS more. */
void kept_play(struct steal_worker *worker, void *local, const void *tasks, size_t number);

/* Another run, which neither stops nor saves yet. */
void kept_begin(struct steal_properties properties, const struct steal_options *options,
                steal_exec *exec);

/* The first one, of which nothing is there. */
void kept_begin_anew(struct steal_properties properties, const struct steal_options *options,
                     steal_exec *exec);

/* Adds all tasks below KEPT_TASKS. */
void kept_seed(void);

/* As steal_checkpoint(), with the path and the data. */
int kept_checkpoint(void);

void kept_expect_all_once(uint64_t tasks);

/* Of all storage. */
int64_t kept_sum(void);

#endif
