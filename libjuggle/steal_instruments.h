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
 * the time from running dry to the next task, or to the end. */
struct steal_statistics {
    size_t size; /* of this struct */
    int64_t tasks_executed;
    int64_t tasks_taken; /* arrived from other ranks */
    int64_t tasks_given; /* left for other ranks */
    int64_t steals_attempted;
    int64_t steals_successful;
    int64_t steals_failed;
    int64_t deals;  /* arrivals over lifelines, unasked */
    int64_t shares; /* successful steals between workers of one rank */
    int64_t sessions;
    int64_t session_ns; /* in all: the time spent searching */
    int64_t session_max_ns;
    int64_t tasks_held_max; /* the fullest that a deque has been */
    int64_t messages;       /* sent */
    int64_t elapsed_ns;
    int64_t state_ns[STEAL_STATE_COUNT];

    /* With `retain`. Of all ranks, load_max_ns * ranks / load_ns is the imbalance. */
    int64_t load_ns;      /* that tasks took */
    int64_t load_max_ns;  /* the same; over all ranks, of the one with the most */
    int64_t predicted_ns; /* that tasks were expected to take, where they were at the beginning */
    int64_t predicted_max_ns;
    int64_t tasks_predicted; /* executed, having been so before */
    int64_t error_ns;        /* what the predictions of those were off, together */

    /* Of steal_rebalance() before it, or of what steal_process() did by itself. Of all ranks the
     * greatest, of tasks_moved the sum. */
    int64_t balance_ns;  /* it took */
    int64_t tasks_moved; /* to this rank */
    int64_t gain_ns;     /* the greatest load of a rank was expected to fall by that */
    int64_t cost_ns;     /* what it was expected to take when `balance_if_it_pays` decided */
};

STEAL_API int steal_statistics_rank(const struct steal_collection *collection,
                                    struct steal_statistics *statistics) STEAL_MUST_CHECK;

/* Collective. Over all ranks: sums; for the fields ending in _max (and _max_ns) and for elapsed_ns
 * the greatest. */
STEAL_API int steal_statistics_sum(struct steal_collection *collection,
                                   struct steal_statistics *statistics) STEAL_MUST_CHECK;

enum { STEAL_REPORT_PARTS = 512, STEAL_REPORT_DISTANCES = 16 };

/* When all ranks together did what in the latest steal_process(). */
struct steal_report {
    size_t size;        /* of this struct */
    int64_t elapsed_ns; /* from the first rank's begin to the last one's end, on their one clock */
    double occupancy[STEAL_REPORT_PARTS]; /* share of workers with tasks, in equal parts of it */
    int64_t session_50_ns; /* the percentiles of session lengths, to within a ninth */
    int64_t session_90_ns;
    int64_t session_99_ns;
    int64_t attempts[STEAL_REPORT_DISTANCES]; /* by distance: 0, up to 1, 2, 4, 8, ... */
};

/* Collective. Needs no trace. */
STEAL_API int steal_report(struct steal_collection *collection,
                           struct steal_report *report) STEAL_MUST_CHECK;

/* SL and EL of the victim selection paper: the share of the time before that occupancy was first
 * there, and after it last was; 1 if it never was. */
STEAL_API double steal_report_starting(const struct steal_report *report, double occupancy);
STEAL_API double steal_report_ending(const struct steal_report *report, double occupancy);

/*
 * Collective. Rank 0 writes the state changes of all ranks since the runtime was created, on one
 * clock: Chrome's trace events (for Perfetto) if `path` ends in ".json", otherwise lines of
 * "time_ns,rank,worker,state". The clock is exact on one node; between nodes it is off by as much
 * as a reduction takes. -EINVAL without trace_events, -errno of the file on all ranks.
 */
STEAL_API int steal_trace_write(struct steal_runtime *runtime, const char *path) STEAL_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
