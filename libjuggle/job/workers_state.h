/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of the workers and the functions that workers.c and workers_places.c share. Internal to
 * them. */
#ifndef JUGGLE_JOB_WORKERS_STATE_H
#define JUGGLE_JOB_WORKERS_STATE_H

#include "libjuggle/job/workers.h"

#include "libjuggle/ground/fault.h"
#include "libjuggle/ground/sort.h"

struct candidate {
    bool present;
    bool refused;
    bool matches; /* the patterns let it work */
    bool helper;  /* set aside by count */
    bool working;
    pid_t pid;
    struct comm comm;
    unsigned number; /* how many came before it */
    struct demand demand;
};

struct workers {
    struct fault fault;
    int expected;
    int idle;
    char *idle_comm;
    char *match;
    bool complete;
    int limit; /* every candidate has a lower index */
    int working_count;
    unsigned arrivals_count;
    int64_t arrived_ns;    /* the last arrival */
    int64_t busy_since_ns; /* when a thread was last found to have become busy */
    bool gathering;        /* some work, and the last arrival was recent */
    int threads_max;
    int place_next;           /* index of the newcomer that the next search is for */
    struct sort_item *sorted; /* scratch, threads_max of them */
    struct candidate candidates[];
};

static inline bool may_work(const struct candidate *candidate)
{
    return candidate->present && candidate->matches && !candidate->refused && !candidate->helper;
}

static inline bool wants_work(const struct workers *workers, const struct candidate *candidate)
{
    return may_work(candidate) && (candidate->demand.busy || workers->idle >= 0);
}

static inline void work_end(struct workers *workers, struct candidate *candidate)
{
    if (candidate->working && HOLDS(&workers->fault, workers->working_count > 0))
        workers->working_count--;
    candidate->working = false;
}

/* In workers_places.c: workers that have been idle for long leave; threads that want to work take
 * free places, make places, or all join if there is no expected count. */
void workers_idle_leave(struct workers *workers, int64_t now_ns,
                        const struct workers_listener *listener);
void workers_busy_join(struct workers *workers, int64_t now_ns,
                       const struct workers_listener *listener);

#endif
