/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of a rig share. Internal to rig*.c. */
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
    int arrived_count;   /* at the barrier; or of a list, that have done a task of this round */
    int64_t begun_count; /* phases, tasks or items that threads have begun */
    int *items;          /* that each stage of a pipeline has done */
    int64_t *theft_ns;   /* when the host takes each processor next */
    bool changed;        /* since the balancer looked */
    int64_t migrations_count;
    struct prng work_prng;
    struct prng wake_prng;
    struct prng theft_prng;
};

/* Before the tasks of a run queue or their shares change, and after. */
void rig_queue_open(struct rig *rig, int processor);
void rig_queue_close(struct rig *rig, int processor);
/* Brings the accounts of its tasks up to date. */
void rig_queue_settle(struct rig *rig, int processor);

/* The task begins on the processor: a cold cache costs work, except where all begins. */
void rig_task_enter(struct rig *rig, int index, int processor);

void rig_task_leave(struct rig *rig, int index);
void rig_task_sleep(struct rig *rig, int index);
void rig_task_wake(struct rig *rig, int index);

/* A random length of this mean; and when the host takes the processor after that instant. */
int64_t rig_around_ns(struct rig *rig, double mean_ns);
void rig_theft_draw(struct rig *rig, int processor, int64_t from_ns);

/* What a thread has to do in the phase, task or item that it begins now. */
double rig_next_work_ns(struct rig *rig, int thread);

/* The thread has done that; or waits for others. */
void rig_thread_arrive(struct rig *rig, int index);
void rig_thread_wait(struct rig *rig, int index);

#endif
