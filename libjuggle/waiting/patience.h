/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides whether the threads of a runtime sleep in their waits or poll. The runtime can do both;
 * it polls by itself.
 *
 * Polling, and yielding, answers soonest if no other program wants the processors. Beside other
 * programs it gives these a whole time slice now and then, while the threads that are waited for
 * stand in the run queue. A thread that sleeps is woken as soon as it can go on. So if a process
 * gets less processor time than threads that never sleep would take, both ways are compared by the
 * number of parallel regions that begin in the same time, and the better one goes on for a while.
 * Pure.
 */
#ifndef JUGGLE_WAITING_PATIENCE_H
#define JUGGLE_WAITING_PATIENCE_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum patience_stage {
    PATIENCE_POLLS,
    PATIENCE_TRIES, /* tries to sleep */
    PATIENCE_SLEEPS,
};

struct patience {
    enum patience_stage stage;
    int processors_count;
    int64_t until_ns;   /* no trial before this; while threads sleep: when that ends */
    int64_t rest_ns;    /* how long no trial follows the next one that fails */
    int64_t sleep_ns;   /* how long threads sleep after the next one that succeeds */
    double polled_rate; /* regions per ns while threads polled, before the last trial */
    /* The current window. */
    int64_t began_ns, began_cpu_ns;
    int regions_count;
    int threads_count; /* of its largest team */
    int64_t last_ns;   /* when the last region began */
    int64_t short_ns;  /* from short regions to the next ones */
    bool regions_are_short;
};

void patience_begin(struct patience *patience, int processors_count, int64_t now_ns,
                    int64_t cpu_ns);

/* A team of threads_count begins a region. True if the window is over: patience_step is due. */
bool patience_region(struct patience *patience, int threads_count, int64_t now_ns);

/* Ends the window and decides. cpu_ns is the total processor time of the process. */
void patience_step(struct patience *patience, int64_t now_ns, int64_t cpu_ns);

/* True if regions that are too short for moves within them took most of the last window. */
bool patience_regions_are_short(const struct patience *patience);

/* True if threads are to sleep as soon as they wait. */
bool patience_sleeps(const struct patience *patience);

#endif
