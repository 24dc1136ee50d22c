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
    const struct balancer *balancer;
    const struct rig_observer *observer;
    struct task *tasks;
    struct runqueue *queues;
    struct hog *hogs;
    int tasks_count;
    int processors_count;
    int64_t now_ns;
    int phase;
    int arrived_count; /* at the barrier */
    bool changed;      /* since the balancer looked */
    int64_t migrations_count;
    struct prng work_prng;
    struct prng wake_prng;
};

/* Before the tasks of a run queue or their shares change, and after. */
void rig_queue_open(struct rig *rig, int processor);
void rig_queue_close(struct rig *rig, int processor);
/* Brings the accounts of its tasks up to date. */
void rig_queue_settle(struct rig *rig, int processor);

/* The task begins on the processor: a cold cache costs work, except where all begins. */
void rig_task_enter(struct rig *rig, int index, int processor);

/* What a thread has to do in its next phase. */
double rig_next_work_ns(struct rig *rig);

#endif
