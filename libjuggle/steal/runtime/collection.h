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

/* Fields that an idle rank needs to answer messages come first: otherwise a simulation with a
 * thousand ranks in one process has a thousand cache misses. */
struct steal_collection {
    _Alignas(DEQUE_LINE) struct steal_runtime *runtime;
    struct transport *transport; /* the runtime's */
    int64_t report_interval_ns;  /* the runtime's option */
    /* HALT_ bits, set by any task, by a signal handler, or by the thread that talks to other ranks;
     * workers test it before each batch. Tasks that are added at the same time as a cancellation
     * are dropped later. See pausing.h for the rest. */
    _Atomic unsigned char halt;
    bool started;                  /* the first turn has begun */
    bool processed;                /* a process has ended since the record was emptied */
    bool recorded;                 /* records hold the executed tasks, restored or not */
    int worker_tasks_length;       /* of `worker_tasks` */
    struct bound *bound;           /* NULL: none */
    struct waiting_tasks *waiting; /* NULL: none */
    struct results *results;       /* NULL: none */
    struct peer peer;
    struct steal_statistics statistics;

    struct worker_tasks
        *worker_tasks; /* one per worker, and in threads mode the server's, where tasks arrive */
    steal_exec *exec;
    size_t stride;  /* bytes from task to task, in deques and messages */
    uint32_t pace;  /* tasks until the next poll */
    struct nap nap; /* of a rank that waits for others */
    int64_t polled_ns;
    int64_t reported_ns;
    int64_t reported_executed;
    int64_t begin_ns; /* of the latest steal_process() */
    int64_t ended_ns;
    int64_t working_ns; /* time of the workers since the process first began, also if it was stopped
                           and went on */
    int64_t idle_ns;
    struct steal_collection *next; /* created before this one; NULL: none */
    void *peer_memory;
    struct storage *storage; /* storage of the workers; NULL: none */
    struct stash *stash;     /* tasks that arrived and did not fit; NULL: none */
    size_t scatter;          /* wanted by steal_scatter(); 0: not called */
    int64_t predicted;       /* number of held tasks that have a prediction */
    int64_t predicted_ns;    /* sum of these predictions */
    struct balance_account balanced;
    int64_t balance_cost_ns;            /* duration of the last balancing that moved tasks */
    int64_t processes;                  /* number of processes so far */
    struct checkpoint *checkpoint;      /* NULL: none */
    int64_t stop_due_ns;                /* when it stops; INT64_MAX: when all is done */
    bool stopped;                       /* stopped before all was done: the next process goes on */
    int id;                             /* the same on all ranks, from 1 */
    struct steal_properties properties; /* with defaults filled in */
};

/* Bits: why no task begins any more. */
enum {
    HALT_CANCEL = 1,
    HALT_PAUSE = 2, /* a checkpoint is wanted, or another rank told this one to pause */
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

/* True if tasks do not begin but are kept, that is, without a cancellation. */
static inline bool halt_pauses(const struct steal_collection *collection)
{
    const unsigned halt = halt_of(collection);

    return halt != 0 && !(halt & HALT_CANCEL);
}

/* Name of the collection's function. */
static inline const char *collection_name(const struct steal_collection *collection)
{
    return collection->runtime->function[collection->properties.function - 1].name;
}

/* Number of tasks that this rank has executed since the latest process began. */
int64_t collection_executed(const struct steal_collection *collection);

#endif
