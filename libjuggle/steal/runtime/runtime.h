/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime, as the files of its room and the transports see it. */
#ifndef JUGGLE_STEAL_RUNTIME_RUNTIME_H
#define JUGGLE_STEAL_RUNTIME_RUNTIME_H

#include "libjuggle/steal.h"
#include "libjuggle/steal/runtime/activity.h"
#include "libjuggle/steal/runtime/stopwatch.h"
#include "libjuggle/steal/runtime/transport.h"

#include <stdbool.h>

enum { FUNCTIONS_MAX = 64, WORKERS_MAX = 1024 };

struct steal_worker {
    struct steal_runtime *runtime;
    int index;
    bool closed;           /* the seeder, while the runtime processes */
    struct record *record; /* of the tasks that it executes, if they are retained */
    struct activity activity;
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
    int64_t collections;                 /* created so far */
    int64_t begin_ns;                    /* of the runtime: the origin of the trace */
    struct steal_collection *processing; /* NULL: none */
    struct stopwatch stopwatch;
    bool crowded; /* more threads than processors on this node: who has nothing to do, yields */
    char message[STEAL_MESSAGE_MAX];
};

/* Takes over the transport, also when it fails. */
int runtime_open(struct transport *transport, const struct steal_options *options,
                 struct steal_runtime **runtime, struct steal_error *error) MUST_CHECK;

/* Notes why something failed, and returns `error`. */
int runtime_fail(struct steal_runtime *runtime, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int64_t runtime_now(const struct steal_runtime *runtime);

#endif
