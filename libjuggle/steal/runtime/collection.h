/* SPDX-License-Identifier: BSD-3-Clause */
/* A collection of tasks, as the files of the runtime see it. */
#ifndef JUGGLE_STEAL_RUNTIME_COLLECTION_H
#define JUGGLE_STEAL_RUNTIME_COLLECTION_H

#include "libjuggle/steal/protocol/peer.h"
#include "libjuggle/steal/runtime/bound.h"
#include "libjuggle/steal/runtime/nap.h"
#include "libjuggle/steal/runtime/results.h"
#include "libjuggle/steal/runtime/worker_tasks.h"
#include "libjuggle/steal/runtime/storage.h"
#include "libjuggle/steal/runtime/waiting.h"

/* What balancing did since the latest process. */
struct balance_account {
    int64_t balance_ns;
    int64_t tasks_moved;
    int64_t gain_ns;
    int64_t cost_ns;
};

/* First what an idle rank needs to answer its mail: a thousand of them in one process are
 * otherwise a thousand cache misses. */
struct steal_collection {
    _Alignas(DEQUE_LINE) struct steal_runtime *runtime;
    struct transport *transport; /* the runtime's */
    int64_t report_interval_ns;  /* the runtime's option */
    /* Of HALT_: set by any task, by a signal handler, or by the thread that talks; workers look
     * before each batch. What is done beside a cancellation is dropped later; pausing.h has the
     * rest. */
    _Atomic unsigned char halt;
    bool started;                  /* the first turn has been */
    bool processed;                /* since the record was emptied */
    bool recorded;                 /* records hold what was executed, restored or not */
    int worker_tasks_length;       /* of `worker_tasks` */
    struct bound *bound;           /* NULL: it has none */
    struct waiting_tasks *waiting; /* the same */
    struct results *results;       /* the same */
    struct peer peer;
    struct steal_statistics statistics;

    struct worker_tasks
        *worker_tasks; /* one per worker; the last is the server's, for tasks that arrive */
    steal_exec *exec;
    size_t stride;      /* from task to task, in deques and under way */
    uint32_t grant_max; /* tasks that a thief can hold */
    uint32_t pace;      /* tasks until the next poll */
    struct nap nap;     /* of a rank that waits for others */
    int64_t polled_ns;
    int64_t reported_ns;
    int64_t reported_executed;
    int64_t begin_ns; /* of the latest steal_process() */
    int64_t ended_ns;
    int64_t working_ns; /* of workers, since the first of those that went on where one stopped */
    int64_t idle_ns;
    struct steal_collection *next; /* of the runtime, created before; NULL: the first */
    void *peer_memory;
    struct storage *storage; /* of the workers; NULL: there is none */
    struct stash *stash;     /* tasks that came and did not fit, NULL if there are none */
    size_t scatter;          /* tasks to deal out at the start, 0: not asked for */
    int64_t predicted;       /* tasks held that have a prediction */
    int64_t predicted_ns;    /* their sum */
    struct balance_account balanced;
    int64_t balance_cost_ns;            /* what it took when tasks moved last */
    int64_t processes;                  /* so far */
    struct checkpoint *checkpoint;      /* that it keeps; NULL: none */
    int64_t stop_due_ns;                /* when it stops; INT64_MAX: when all is done */
    bool stopped;                       /* before all was done: the next process goes on */
    int id;                             /* the same on all ranks, from 1 */
    struct steal_properties properties; /* with defaults filled in */
};

/* Why no task begins any more. */
enum {
    HALT_CANCEL = 1,
    HALT_SAVE = 2, /* a checkpoint is wanted, or another rank has told to pause */
    HALT_STOP = 4
};

static inline unsigned halt_of(const struct steal_collection *collection)
{
    return atomic_load(&collection->halt);
}

static inline void halt_set(struct steal_collection *collection, unsigned halt)
{
    atomic_fetch_or(&collection->halt, (unsigned char)halt);
}

static inline void halt_clear(struct steal_collection *collection, unsigned halt)
{
    atomic_fetch_and(&collection->halt, (unsigned char)~halt);
}

/* Tasks are kept: a cancellation drops them. */
static inline bool halt_pauses(const struct steal_collection *collection)
{
    const unsigned halt = halt_of(collection);

    return halt != 0 && !(halt & HALT_CANCEL);
}

/* What its function is called. */
static inline const char *collection_name(const struct steal_collection *collection)
{
    return collection->runtime->function[collection->properties.function - 1].name;
}

/* Tasks that this rank has executed since the latest process began. */
int64_t collection_executed(const struct steal_collection *collection);

#endif
