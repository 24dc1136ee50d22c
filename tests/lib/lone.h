/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank alone on its network, with one collection. Its tasks are numbers, which are noted when
 * they are executed. */
#ifndef JUGGLE_TESTS_LIB_LONE_H
#define JUGGLE_TESTS_LIB_LONE_H

#include "libjuggle/steal/runtime/collection.h"

enum { LONE_SEEN_MAX = 256, LONE_WORKERS = 3 };

struct lone {
    struct network *network;
    struct steal_runtime *runtime;
    struct steal_collection *collection;
    uint64_t seen[LONE_SEEN_MAX]; /* executed tasks, in the order of execution */
    size_t count;
    size_t largest;    /* greatest batch */
    uint64_t drop;     /* a task of this number is forgotten */
    int64_t factor_ns; /* a task reports this time multiplied by its number; 0: it reports none */
    bool parents;      /* a task below 100 adds the task of its number plus 100 */
};

/* Properties for another collection of the same tasks. */
#define LONE_PROPERTIES(...)                                                                   \
    {                                                                                          \
        .size = sizeof(struct steal_properties), .function = 1, .task_size = sizeof(uint64_t), \
        __VA_ARGS__                                                                            \
    }

extern struct lone lone;

/* Options with mode threads. */
extern const struct steal_options lone_threads;

void lone_open(struct steal_properties properties);

/* For a test's own network: a latency of one nanosecond between any two ranks. */
int64_t lone_latency_ns(const void *context, int from, int to);

/* A task that does nothing. */
void lone_nothing(struct steal_worker *worker, void *local, const void *tasks, size_t count);

/* A task that notes its execution. */
void lone_note(struct steal_worker *worker, void *local, const void *tasks, size_t count);

/* Opens the rank with this function instead of lone_note(). */
void lone_open_function(struct steal_properties properties, const struct steal_options *options,
                        steal_exec *exec);
/* Opens it as rank 0 of this number of ranks; the others never start. */
void lone_open_among(int ranks, struct steal_properties properties,
                     const struct steal_options *options, steal_exec *exec);
void lone_close(void);

void lone_add(uint64_t task);

/* Returns what steal_add() returned. */
int lone_try_add(uint64_t task);

/* Clears the notes, then processes the collection. */
void lone_process(void);

/* Restores the collection, then processes it as lone_process() does. */
void lone_restore_and_process(void);

/* Checks that these tasks, in this order, were executed since the last lone_process(). */
void lone_expect_seen(const uint64_t *tasks, size_t count);

/* Checks that the latest error message contains this part. */
void lone_expect_message(const char *part);

/* Checks that the worker's latest error message contains this part. */
void lone_expect_worker_message(const struct steal_worker *worker, const char *part);

/* Checks that the call returned this error, and that the message is exactly `why`. */
void lone_expect_error(int result, int error, const char *why);

/* Returns the history of an entry of the ledger. */
const struct history *lone_history(uint32_t index);

struct steal_statistics lone_statistics(void);

/* Returns the number of the task, which is its key. */
uint64_t lone_key(const void *local, const void *task);

#endif
