/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank alone on its network, and a collection of its whose tasks, which are numbers, are noted as
 * they are executed. */
#ifndef JUGGLE_TESTS_LIB_LONE_H
#define JUGGLE_TESTS_LIB_LONE_H

#include "libjuggle/steal/runtime/collection.h"

enum { LONE_SEEN_MAX = 256, LONE_WORKERS = 3 };

struct lone {
    struct network *network;
    struct steal_runtime *runtime;
    struct steal_collection *collection;
    uint64_t seen[LONE_SEEN_MAX]; /* tasks executed, in their order */
    size_t count;
    size_t largest;    /* batch */
    uint64_t drop;     /* this task is forgotten */
    int64_t factor_ns; /* a task takes so much times its number; 0: it says nothing */
    bool parents;      /* tasks below 100 add one that is 100 more, each time or once */
    bool once;
};

/* Of another collection of the same tasks. */
#define LONE_PROPERTIES(...)                                                                   \
    {                                                                                          \
        .size = sizeof(struct steal_properties), .function = 1, .task_size = sizeof(uint64_t), \
        __VA_ARGS__                                                                            \
    }

extern struct lone lone;

/* Of mode threads. */
extern const struct steal_options lone_threads;

void lone_open(struct steal_properties properties);

/* For networks of a test's own: a nanosecond between any two ranks. */
int64_t lone_latency_ns(const void *context, int from, int to);

/* What tasks do that nobody looks at. */
void lone_nothing(struct steal_worker *worker, void *local, const void *tasks, size_t count);

/* Notes. */
void lone_play(struct steal_worker *worker, void *local, const void *tasks, size_t count);

/* With another function than that which notes. */
void lone_open_function(struct steal_properties properties, const struct steal_options *options,
                        steal_exec *exec);
/* As rank 0 of so many, the others of which never start. */
void lone_open_among(int ranks, struct steal_properties properties,
                     const struct steal_options *options, steal_exec *exec);
void lone_close(void);

void lone_add(uint64_t task);

/* Counts anew. */
void lone_process(void);

/* The same, after restoring. */
void lone_again(void);

/* What was executed since, in this order. */
void lone_expect_seen(const uint64_t *tasks, size_t count);

/* The latest failure says so, among other words. */
void lone_expect_message(const char *part);

/* The call failed so, and the message says why and nothing else. */
void lone_refused(int result, int error, const char *why);

/* Of an entry of the ledger. */
const struct history *lone_history(uint32_t index);

struct steal_statistics lone_statistics(void);

/* A task is known by its number. */
uint64_t lone_key(const void *local, const void *task);

#endif
