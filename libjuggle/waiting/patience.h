/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether the threads of a runtime that can do both sleep in their waits or look on, as it does by
 * itself.
 *
 * Looking on, and yielding, answers soonest where nobody else wants the processors. Beside other
 * programs it gives these a whole time slice now and then, while the threads that are waited for
 * stand in the run queue; who sleeps is woken as soon as it can go on. So where a process gets less
 * of the processors than threads that never sleep would take, both are compared by the parallel
 * regions that are begun in the same time, and the better one goes on for a while. Pure.
 */
#ifndef JUGGLE_WAITING_PATIENCE_H
#define JUGGLE_WAITING_PATIENCE_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum patience_stage {
    PATIENCE_LOOKS_ON,
    PATIENCE_TRIES, /* to sleep */
    PATIENCE_SLEEPS,
};

struct patience {
    enum patience_stage stage;
    int processors_count;
    int64_t until_ns; /* no trial before; or when threads have slept for long enough */
    int64_t rest_ns;  /* how long there is none after the next in vain */
    int64_t sleep_ns; /* and how long threads sleep after the next that is not */
    double awake;     /* regions per time when it was tried last */
    /* The window that goes on. */
    int64_t began_ns, began_cpu_ns;
    int regions_count;
    int threads_count; /* of the largest of its teams */
    int64_t last_ns;   /* when the last region began */
    int64_t short_ns;  /* of short regions, with what followed each */
    bool regions_are_short;
};

void patience_begin(struct patience *patience, int processors_count, int64_t now_ns,
                    int64_t cpu_ns);

/* A team of threads_count begins a region. True if the window is over: patience_step is due. */
bool patience_region(struct patience *patience, int threads_count, int64_t now_ns);

/* The window ends. cpu_ns is the processor time of the process in all. */
void patience_step(struct patience *patience, int64_t now_ns, int64_t cpu_ns);

/* Whether most of the time of the last window was of regions that are too short for anybody to be
 * moved within them. */
bool patience_regions_are_short(const struct patience *patience);

/* Whether threads are to sleep as soon as they wait. */
bool patience_sleeps(const struct patience *patience);

#endif
