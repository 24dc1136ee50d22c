/* SPDX-License-Identifier: BSD-3-Clause */
/* This rank: the state of its runtime, its messages, and other functions that all files here
 * need. */
#ifndef JUGGLE_STEAL_RUNTIME_RANK_H
#define JUGGLE_STEAL_RUNTIME_RANK_H

#include "libjuggle/steal.h"
#include "libjuggle/steal/runtime/account.h"
#include "libjuggle/steal/runtime/activity.h"
#include "libjuggle/steal/runtime/stopwatch.h"
#include "libjuggle/steal/runtime/transport.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { FUNCTIONS_MAX = 64, WORKERS_MAX = 1024 };

struct steal_worker {
    struct steal_runtime *runtime;
    int index;
    int reservations;      /* open ones, of all collections together */
    struct record *record; /* of the tasks in execution; NULL: none, or they are not retained */
    struct activity activity;
    bool closed;   /* nothing can be added: true for the seeder while the runtime processes */
    char *message; /* STEAL_MESSAGE_MAX bytes; NULL before the first failure */
};

struct function {
    char *name;
    steal_exec *exec;
};

struct steal_runtime {
    struct transport *transport; /* owned */
    struct steal_options options;
    int workers;
    struct steal_worker *worker; /* one per worker, and in threads mode the server last */
    struct steal_worker seeder;
    struct team *team;           /* NULL when polling */
    struct survey *survey;       /* NULL if the transport knows the places */
    const struct places *places; /* those of the transport or of the survey */
    struct function *function;
    uint32_t functions;
    uint32_t epoch;
    struct account *account;             /* FUNCTIONS_MAX of them; NULL: no report is wanted */
    int collections;                     /* created so far */
    uint64_t bound_cells;                /* bit i: a collection uses cell i of the node's memory */
    struct steal_collection *collection; /* the latest that is not destroyed; NULL: there is none */
    int64_t begin_ns;                    /* of the runtime: the origin of the trace */
    struct steal_collection *processing; /* NULL: none */
    /* The worker whose task ended with an open reservation, which cancels the process. NULL: none.
     * Written by any worker, read when all workers have stopped. */
    struct steal_worker *_Atomic culprit;
    struct stopwatch stopwatch;
    bool checkpoints_considered; /* the program has called steal_checkpoint(), or it was said that
                               the user's wish for a checkpoint has no effect */
    bool crowded; /* more threads than processors on this node: idle threads yield or sleep */
    atomic_flag speaking; /* spin lock of `message`: several tasks may fail at once */
    char message[STEAL_MESSAGE_MAX];
};

/* Notes why something failed, and returns `error`. */
int runtime_fail(struct steal_runtime *runtime, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failure with a file. If `error` is -EINVAL, the message says that `path` is no
 * file, because it is a device or a pipe. */
int runtime_fail_path(struct steal_runtime *runtime, int error, const char *path);

/* Writes one line to standard error, on rank 0 only, about something that the user has asked
 * for. */
void runtime_print(const struct steal_runtime *runtime, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* As runtime_fail(), for a failure of a task: writes the worker's message. Outside of a process it
 * writes the runtime's message, too. */
int worker_fail(struct steal_worker *worker, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* -EINVAL if `pointer` is NULL; the runtime's message calls it `what`. */
int runtime_need(struct steal_runtime *runtime, const void *pointer, const char *what) MUST_CHECK;

/* The same for a path, which must not be empty either. -ENAMETOOLONG if it is too long for any
 * file: it would leave no room in the message. */
int runtime_need_path(struct steal_runtime *runtime, const char *path, const char *what) MUST_CHECK;

/* Adds the user's settings to the message, because either they or those of the program may be
 * wrong. Returns `result`. */
int runtime_quote_user_settings(struct steal_runtime *runtime, int result);

/* Clears the message, because a call that succeeds leaves none of an earlier failure. Within tasks
 * it is kept, because it may be of another task. */
static inline void runtime_forget(struct steal_runtime *runtime)
{
    if (!runtime->processing)
        runtime->message[0] = '\0';
}

/* The same for a worker's message. Called for each task that is added; normally there is nothing to
 * clear. */
static inline void worker_succeed(struct steal_worker *worker)
{
    if (worker->message)
        worker->message[0] = '\0';
    runtime_forget(worker->runtime);
}

int64_t runtime_now(const struct steal_runtime *runtime);

#endif
