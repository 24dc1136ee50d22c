/* SPDX-License-Identifier: BSD-3-Clause */
/* What the ranks did in the latest steal_process(), and when: a part of <juggle/steal.h>. */
#ifndef JUGGLE_STEAL_INSTRUMENTS_H
#define JUGGLE_STEAL_INSTRUMENTS_H

#include "steal_choices.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct steal_runtime;
struct steal_collection;

enum steal_state {
    STEAL_STATE_WORKING,    /* executing tasks */
    STEAL_STATE_SEARCHING,  /* asking others for tasks */
    STEAL_STATE_ANSWERING,  /* giving tasks, or saying that there are none */
    STEAL_STATE_TERMINATING /* agreeing with the others that all is done */
};

enum { STEAL_STATE_COUNT = STEAL_STATE_TERMINATING + 1 };

/* What happened in the latest steal_process() on one rank, all its workers together. A session is
 * the time from when a worker runs out of tasks to its next task, or to the end. */
struct steal_statistics {
    size_t size; /* of this struct */
    int64_t tasks_executed;
    int64_t tasks_taken; /* tasks that arrived from other ranks */
    int64_t tasks_given; /* tasks that were sent to other ranks */
    int64_t steals_attempted;
    int64_t steals_successful;
    int64_t steals_failed;
    int64_t deals;  /* arrivals over lifelines, unasked */
    int64_t shares; /* successful steals between workers of one rank */
    int64_t sessions;
    int64_t session_ns; /* total time spent searching */
    int64_t session_max_ns;
    int64_t tasks_held_max; /* greatest number of tasks in one deque */
    int64_t messages;       /* sent */
    int64_t elapsed_ns;
    int64_t state_ns[STEAL_STATE_COUNT];

    /* Only with `retain`. In the sum over all ranks, load_max_ns * ranks / load_ns is the
     * imbalance. */
    int64_t load_ns;      /* duration of all tasks */
    int64_t load_max_ns;  /* the same; over all ranks, that of the rank with the most */
    int64_t predicted_ns; /* expected duration of the tasks that were here at the beginning */
    int64_t predicted_max_ns;
    int64_t tasks_predicted; /* tasks executed that had been executed before */
    int64_t error_ns;        /* sum of the absolute errors of their predictions */

    /* Of the steal_rebalance() before it, or of the balancing that steal_process() did by itself.
     * Over all ranks these are maxima, except that tasks_moved is a sum. */
    int64_t balance_ns;  /* duration of balancing */
    int64_t tasks_moved; /* to this rank */
    int64_t gain_ns;     /* by which the greatest load of a rank was expected to fall */
    int64_t cost_ns;     /* expected duration of balancing when `balance_if_it_pays` decided */
};

STEAL_API int steal_statistics_rank(const struct steal_collection *collection,
                                    struct steal_statistics *statistics) STEAL_MUST_CHECK;

/* Collective. Sums over all ranks; for the fields ending in _max or _max_ns, and for elapsed_ns,
 * the maximum. */
STEAL_API int steal_statistics_sum(struct steal_collection *collection,
                                   struct steal_statistics *statistics) STEAL_MUST_CHECK;

enum { STEAL_REPORT_PARTS = 512, STEAL_REPORT_DISTANCES = 16 };

/* What all ranks together did in the latest steal_process(), and when. */
struct steal_report {
    size_t size;        /* of this struct */
    int64_t elapsed_ns; /* from the first rank's begin to the last rank's end, on a clock common to
                           all ranks */
    double occupancy[STEAL_REPORT_PARTS]; /* share of workers that have tasks, in equal parts of
                                             elapsed_ns */
    int64_t session_50_ns;                /* percentiles of session lengths, to within a ninth */
    int64_t session_90_ns;
    int64_t session_99_ns;
    int64_t attempts[STEAL_REPORT_DISTANCES]; /* requests by the distance of the victim: 0, up to 1,
                                                 2, 4, 8, ... */
};

/* Collective. Needs no trace. */
STEAL_API int steal_report(struct steal_collection *collection,
                           struct steal_report *report) STEAL_MUST_CHECK;

/* SL and EL of the victim selection paper: the share of the time before this occupancy was first
 * reached, and after it was last reached; 1 if it never was. */
STEAL_API double steal_report_starting(const struct steal_report *report, double occupancy);
STEAL_API double steal_report_ending(const struct steal_report *report, double occupancy);

/*
 * Collective. Rank 0 writes the state changes of all ranks since the runtime was created, on a
 * common clock: Chrome's trace events (for Perfetto) if `path` ends in ".json", otherwise lines of
 * "time_ns,rank,worker,state". The clock is exact on one node; between nodes it is off by as much
 * as a reduction takes. -EINVAL without trace_events, -errno of the file on all ranks.
 */
STEAL_API int steal_trace_write(struct steal_runtime *runtime, const char *path) STEAL_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
