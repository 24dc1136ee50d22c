/* SPDX-License-Identifier: BSD-3-Clause */
/* A task of the simulated machine: a thread of the program, or a cpu-hog beside it. */
#ifndef JUGGLE_SIM_TASK_H
#define JUGGLE_SIM_TASK_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum task_state {
    TASK_COMPUTING, /* makes progress while it has the processor */
    TASK_SPINNING,  /* waits for others in a loop, which uses up its share */
    TASK_YIELDING,  /* waits for others in a loop of sched_yield */
    TASK_SLEEPING,  /* waits, and is in no run queue */
};

enum { TASK_NONE = -1 };

/* Times are doubles, because a share of a processor is not a whole number of nanoseconds. */
struct task {
    enum task_state state;
    int weight;      /* 1024 at nice 0 */
    int processor;   /* the processor in whose run queue it is, or was before it slept */
    int last_ran_on; /* the processor whose cache is warm; -1 before it ran */
    int mask_first;  /* it may run on [mask_first, mask_first + mask_count) */
    int mask_count;
    double work_ns; /* level: left of the phase, on a processor of speed 1 */
    double run_ns;  /* totals, as in schedstat */
    double wait_ns;
    double counted_wait_ns; /* as the kernel shows it: a wait counts when it is over */
    double slices;
    double done_ns;                      /* work done in all phases */
    int64_t waits_since_ns;              /* since when it waits for others; -1: it does not */
    bool released;                       /* it need not wait any more, and has not run since */
    int64_t told_wait_ns;                /* total of its waits for others that have ended */
    int64_t told_from_ns, told_until_ns; /* beginning and end of the last of these waits */
    double debt_ns; /* time that slices have not given it yet, compared with a fair share */
    int next;       /* neighbors in the run queue, or TASK_NONE */
    int previous;
};

#endif
