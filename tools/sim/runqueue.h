/* SPDX-License-Identifier: BSD-3-Clause */
/* One simulated processor: divides its time among the tasks in its queue. */
#ifndef JUGGLE_SIM_RUNQUEUE_H
#define JUGGLE_SIM_RUNQUEUE_H

#include "tools/sim/task.h"

/* How the simulated kernel divides time; the same on all processors. */
struct sharing {
    int64_t
        slice_ns; /* computing tasks take turns of this length; 0: all at once, perfectly fair */
    double
        yield_share; /* what a yielding task gets beside a computing one, in shares of the latter */
    bool preempts;   /* a task that arrives has the next slice at once */
};

/* Progress is linear between changes, so nothing is computed until something changes or is asked
 * for: settle() brings the times of all tasks in the queue up to date. A caller that changes a task
 * of the queue, the queue or its speed calls settle() before and renew() afterwards. */
struct runqueue {
    int first; /* tasks in the order of their arrival */
    int last;
    int count;
    int computing_count; /* computing and spinning tasks: they use all the time that they get */
    int current;         /* the task that has the slice */
    double weight;       /* of all tasks; beside computing ones, yielding ones count yield_share */
    double computing_weight;
    double cycle_ns; /* every task gets a processor about once in this time; for counting slices */
    double speed;    /* work done per CPU time */
    int64_t settled_ns;
    int64_t changed_ns; /* when the shares changed last */
    int64_t stalled_until_ns;
    int64_t stolen_until_ns; /* the host has the processor, which the running task cannot see */
    int64_t slice_end_ns;
    int64_t next_ns; /* when something will happen by itself; INT64_MAX for never */
};

void runqueue_init(struct runqueue *queue, double speed);

void runqueue_add(struct runqueue *queue, struct task *tasks, int task);
void runqueue_remove(struct runqueue *queue, struct task *tasks, int task);

void runqueue_settle(struct runqueue *queue, struct task *tasks, const struct sharing *sharing,
                     int64_t now_ns);
void runqueue_renew(struct runqueue *queue, struct task *tasks, const struct sharing *sharing,
                    int64_t now_ns);

/* No task makes progress for this time: something of higher priority has the processor. */
void runqueue_stall(struct runqueue *queue, int64_t now_ns, int64_t duration_ns);

/* As runqueue_stall, but the host has the processor: the task that has the slice is counted neither
 * as running nor as waiting. */
void runqueue_steal(struct runqueue *queue, int64_t now_ns, int64_t duration_ns);

/* The slice goes to the task, which has just arrived. */
void runqueue_preempt(struct runqueue *queue, const struct sharing *sharing, int task,
                      int64_t now_ns);

/* The share of the processor's time that the task gets at the moment. */
double runqueue_share(const struct runqueue *queue, const struct task *tasks,
                      const struct sharing *sharing, int task);

/* Returns a task of the queue whose phase is complete, or TASK_NONE. The queue must be settled. */
int runqueue_complete(const struct runqueue *queue, const struct task *tasks);

#endif
