/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a rig, and the functions that its parts share. Internal to rig*.c. */
#ifndef JUGGLE_SIM_RIG_STATE_H
#define JUGGLE_SIM_RIG_STATE_H

#include "libjuggle/ground/prng.h"
#include "tools/cpuhog/schedule.h"
#include "tools/sim/rig.h"

struct hog {
    struct schedule schedule;
    struct cycle cycle;
    bool computing;
};

struct rig {
    const struct scenario *scenario;
    const struct load_balancer *balancer;
    const struct rig_observer *observer;
    struct task *tasks;
    struct runqueue *queues;
    struct hog *hogs;
    int tasks_count;
    int processors_count;
    int64_t now_ns;
    int phase;
    int arrived_count;   /* threads at the barrier; of a list: tasks done in this phase */
    int64_t begun_count; /* phases, tasks or items that threads have begun */
    int *items;          /* by stage of a pipeline: the items that it has done */
    int64_t *theft_ns;   /* by processor: when the host takes it next */
    bool changed;        /* a run queue has changed since balancer->react */
    int64_t migrations_count;
    struct prng work_prng;
    struct prng wake_prng;
    struct prng theft_prng;
};

/* To be called before the tasks of a run queue or their shares change, and afterwards. */
void rig_queue_open(struct rig *rig, int processor);
void rig_queue_close(struct rig *rig, int processor);
/* Brings the times of its tasks up to date. */
void rig_queue_settle(struct rig *rig, int processor);

/* The task begins on the processor. A migration adds the work that a cold cache costs, except at
 * time 0. */
void rig_task_enter(struct rig *rig, int index, int processor);

void rig_task_leave(struct rig *rig, int index);
void rig_task_sleep(struct rig *rig, int index);
void rig_task_wake(struct rig *rig, int index);

/* Returns a random duration with this mean. */
int64_t rig_around_ns(struct rig *rig, double mean_ns);
/* Draws the time after `from_ns` at which the host takes the processor next. */
void rig_theft_draw(struct rig *rig, int processor, int64_t from_ns);

/* Returns the work of the phase, task or item that the thread begins now. */
double rig_next_work_ns(struct rig *rig, int thread);

/* The thread has done the work of its phase, task or item. */
void rig_thread_arrive(struct rig *rig, int index);
/* The thread begins to wait for others, in the manner of the scenario's barrier. */
void rig_thread_wait(struct rig *rig, int index);

#endif
