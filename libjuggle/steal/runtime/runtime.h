/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime and its collections, as the files of the library see them. */
#ifndef JUGGLE_STEAL_RUNTIME_RUNTIME_H
#define JUGGLE_STEAL_RUNTIME_RUNTIME_H

#include "libjuggle/steal/runtime/activity.h"
#include "libjuggle/steal/deque/deque.h"
#include "libjuggle/steal/protocol/peer.h"
#include "libjuggle/steal/transport/transport.h"

enum { FUNCTIONS_MAX = 64, WORKERS_MAX = 1024 };

struct steal_worker {
    struct steal_runtime *runtime;
    int index;
    bool closed; /* the seeder, while the runtime processes */
    struct activity activity;
    char message[STEAL_MESSAGE_MAX];
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
    struct team *team; /* NULL when polling */
    struct function function[FUNCTIONS_MAX];
    uint32_t functions;
    uint32_t epoch;
    int64_t begin_ns; /* of the runtime: the origin of the trace */
    bool processing;
    bool crowded; /* more threads than processors on this node: who has nothing to do, yields */
    char message[STEAL_MESSAGE_MAX];
};

/* What one worker has of one collection. Padded, so that workers do not share lines. */
struct station {
    _Alignas(DEQUE_LINE) struct deque deque;
    uint32_t reserved; /* room of the open reservation, 0 if none is open */
    unsigned char *batch;
    unsigned char *record; /* tasks executed, oldest first, if they are retained */
    size_t recorded;
    bool record_full;
    _Atomic int64_t executed; /* the server reads it for reports of progress */
    int64_t sessions;
    int64_t session_ns;
    int64_t session_max_ns;
    int64_t session_begin_ns;
    int64_t shares;
};

/* First what an idle rank needs to answer its mail: a thousand of them in one process are
 * otherwise a thousand cache misses. */
struct steal_collection {
    _Alignas(DEQUE_LINE) struct steal_runtime *runtime;
    struct transport *transport; /* the runtime's */
    int64_t report_interval_ns;  /* the runtime's option */
    struct peer peer;
    struct steal_statistics statistics;

    int stations;
    struct station *station; /* one per worker; the last is the server's, for tasks that arrive */
    steal_exec *exec;
    size_t stride;
    uint32_t grant_max; /* tasks that fit into a message, and that a thief can hold */
    uint32_t pace;      /* tasks until the next poll */
    int64_t polled_ns;
    int64_t reported_ns;
    int64_t reported_executed;
    int64_t begin_ns;
    bool processed;                     /* since the record was emptied */
    struct steal_properties properties; /* with defaults filled in */
};

/* Takes over the transport, also when it fails. */
int runtime_open(struct transport *transport, const struct steal_options *options,
                 struct steal_runtime **runtime, struct steal_error *error) MUST_CHECK;

/* Notes why something failed, and returns `error`. */
int runtime_fail(struct steal_runtime *runtime, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One of the values that all ranks must have alike. */
struct agreement {
    const char *name;
    int64_t value;
};

enum { AGREEMENTS_MAX = 24 };

/*
 * Collective: 0 if `status` is 0 and the values are alike on all ranks. Otherwise the rank's own
 * status, or -ECANCELED if only others failed, or -EPROTO; the runtime's message says why.
 */
int runtime_agree(struct steal_runtime *runtime, int status, const struct agreement *agreements,
                  size_t count) MUST_CHECK;

/* A collection without the agreement of the other ranks. */
int collection_open(struct steal_runtime *runtime, const struct steal_properties *properties,
                    struct steal_collection **collection) MUST_CHECK;

int64_t runtime_now(const struct steal_runtime *runtime);

#endif
