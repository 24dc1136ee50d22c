/* SPDX-License-Identifier: BSD-3-Clause */
/* What runs on the simulated machine: the program's threads and the cpu-hogs beside them. */
#ifndef JUGGLE_SIM_TASK_H
#define JUGGLE_SIM_TASK_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum task_state {
    TASK_COMPUTING, /* makes progress while it has the processor */
    TASK_SPINNING,  /* waits at a barrier and burns its share */
    TASK_YIELDING,  /* waits at a barrier in a loop of sched_yield */
    TASK_SLEEPING,  /* waits without a place in any run queue */
};

enum { TASK_NONE = -1 };

/* Times are doubles within the machine: shares of a processor are no whole nanoseconds. */
struct task {
    enum task_state state;
    int weight;      /* 1024 at nice 0 */
    int processor;   /* whose run queue it is in, or was in before it slept */
    int last_ran_on; /* where its cache is warm; -1 before it ran */
    int mask_first;  /* it may run on [mask_first, mask_first + mask_count) */
    int mask_count;
    double work_ns; /* left of the phase, on a processor of speed 1 */
    double run_ns;  /* totals, as schedstat has them */
    double wait_ns;
    double counted_wait_ns; /* as the kernel shows it: a wait counts when it is over */
    double slices;
    double done_ns;                      /* of all phases */
    int64_t waits_since_ns;              /* for others; -1: it does not */
    bool released;                       /* it need not wait any more, and has not run since */
    int64_t told_wait_ns;                /* in all, the wait that goes on aside */
    int64_t told_from_ns, told_until_ns; /* the last of them that ended */
    double debt_ns; /* what its queue's slices owe it, against a perfectly fair share */
    int next;       /* neighbors in the run queue, or TASK_NONE */
    int previous;
};

#endif
