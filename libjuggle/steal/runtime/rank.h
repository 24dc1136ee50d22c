/* SPDX-License-Identifier: BSD-3-Clause */
/* This rank: the state of its runtime, what every file of the room asks of it, and its messages. */
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
    int reservations;      /* that are open, in whatever collection */
    struct record *record; /* of the tasks that it executes, if they are retained */
    struct activity activity;
    bool closed;   /* the seeder, while the runtime processes */
    char *message; /* of STEAL_MESSAGE_MAX; NULL before the first failure */
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
    struct survey *survey;       /* NULL where the transport knows the places */
    const struct places *places; /* of one or the other */
    struct function *function;
    uint32_t functions;
    uint32_t epoch;
    struct account *account; /* of FUNCTIONS_MAX functions; NULL: nobody wants a report */
    int collections;         /* created so far */
    uint64_t bound_cells;    /* that collections of this rank have: a bit for each */
    struct steal_collection *collection; /* the latest that is not destroyed, NULL: there is none */
    int64_t begin_ns;                    /* of the runtime: the origin of the trace */
    struct steal_collection *processing; /* NULL: none */
    /* Whose task ended with an open reservation, which canceled what is processed. Written by any
     * worker, read when they have stopped. */
    struct steal_worker *_Atomic culprit;
    struct stopwatch stopwatch;
    bool checkpoints_heard; /* the program asked for one, or was told that the user does in vain */
    bool crowded; /* more threads than processors on this node: who has nothing to do, yields */
    atomic_flag speaking; /* a thread writes the message: several tasks may fail at once */
    char message[STEAL_MESSAGE_MAX];
};

/* Notes why something failed, and returns `error`. */
int runtime_fail(struct steal_runtime *runtime, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same of what failed with a file; -EINVAL: it is a device or a pipe. */
int runtime_fail_path(struct steal_runtime *runtime, int error, const char *path);

/* Rank 0 says one line on standard error, of what the user has asked for. */
void runtime_tell(const struct steal_runtime *runtime, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same as runtime_fail() for what a task did, in its worker's message. */
int worker_fail(struct steal_worker *worker, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* -EINVAL if the caller has passed NULL for `what`, which the runtime's message says. */
int runtime_need(struct steal_runtime *runtime, const void *pointer, const char *what) MUST_CHECK;

/* The same if it is empty, -ENAMETOOLONG if it is no path of any file: beside it no message fits.
 */
int runtime_need_path(struct steal_runtime *runtime, const char *path, const char *what) MUST_CHECK;

/* Adds to the message what the user wrote: who wrote what is wrong, the user or the program, should
 * look at both. */
int runtime_blame(struct steal_runtime *runtime, int result);

/* A call that succeeds leaves no message of one that failed before. Within tasks, those of others
 * stay. */
static inline void runtime_forget(struct steal_runtime *runtime)
{
    if (!runtime->processing)
        runtime->message[0] = '\0';
}

/* The same of a worker. For each task, and as a rule there is nothing to do. */
static inline void worker_succeed(struct steal_worker *worker)
{
    if (worker->message)
        worker->message[0] = '\0';
    runtime_forget(worker->runtime);
}

int64_t runtime_now(const struct steal_runtime *runtime);

#endif
