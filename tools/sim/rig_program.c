/* SPDX-License-Identifier: BSD-3-Clause */
/* What the threads do together: phases with a barrier after each, tasks of a list, or the stages of
 * a pipeline. */
#include "tools/sim/rig_state.h"

/* A stage may be ahead of the next one by this many items. */
enum { STAGE_AHEAD_MAX = 2 };

bool rig_done(const struct rig *rig)
{
    return rig->phase == rig->scenario->phases_count;
}

/* Returns the index of the factor: that of the phase, the task or the stage. */
static int64_t part_of(const struct rig *rig, int thread)
{
    switch (rig->scenario->program) {
    case PROGRAM_PHASES:
        break;
    case PROGRAM_LIST:
        return rig->begun_count;
    case PROGRAM_PIPELINE:
        return thread;
    }
    return rig->phase;
}

double rig_next_work_ns(struct rig *rig, int thread)
{
    const double span = rig->scenario->uneven * (2 * prng_unit(&rig->work_prng) - 1);
    const double part = scenario_part(rig->scenario, part_of(rig, thread));

    rig->begun_count++;
    return (double)rig->scenario->phase_ns * part * (1 + span);
}

/* ---- going on, and waiting ---- */

static void thread_release(struct rig *rig, int index)
{
    struct task *task = &rig->tasks[index];

    if (task->state == TASK_SLEEPING) {
        task->released = true;
        task->work_ns = rig_next_work_ns(rig, index);
        rig_task_wake(rig, index);
        return;
    }
    rig_queue_open(rig, task->processor);
    task->state = TASK_COMPUTING;
    task->released = task->waits_since_ns >= 0;
    task->work_ns = rig_next_work_ns(rig, index);
    rig_queue_close(rig, task->processor);
}

void rig_thread_wait(struct rig *rig, int index)
{
    struct task *task = &rig->tasks[index];

    task->waits_since_ns = rig->now_ns;
    switch (rig->scenario->barrier) {
    case BARRIER_BLOCK:
        rig_task_sleep(rig, index);
        return;
    case BARRIER_YIELD:
        task->state = TASK_YIELDING;
        break;
    case BARRIER_BUSY:
        task->state = TASK_SPINNING;
        break;
    }
    rig_queue_close(rig, task->processor);
}

static void phase_done(struct rig *rig)
{
    const struct rig_observer *observer = rig->observer;

    if (observer && observer->phase_done)
        observer->phase_done(observer->context, rig, rig->phase);
    rig->phase++;
    rig->arrived_count = 0;
}

/* ---- phases ---- */

static void arrive_at_barrier(struct rig *rig, int index)
{
    if (++rig->arrived_count < rig->scenario->threads_count) {
        rig_thread_wait(rig, index);
        return;
    }
    phase_done(rig);
    for (int i = 0; !rig_done(rig) && i < rig->scenario->threads_count; i++)
        thread_release(rig, i);
}

/* ---- a list ---- */

static void take_from_list(struct rig *rig, int index)
{
    const int64_t tasks_count = (int64_t)rig->scenario->phases_count * rig->scenario->threads_count;

    if (++rig->arrived_count == rig->scenario->threads_count)
        phase_done(rig);
    if (rig->begun_count < tasks_count)
        thread_release(rig, index);
    else if (!rig_done(rig))
        rig_thread_wait(rig, index);
}

/* ---- a pipeline ---- */

static bool stage_may_begin(const struct rig *rig, int stage)
{
    const int last = rig->scenario->threads_count - 1;
    const int done = rig->items[stage];

    return done < rig->scenario->phases_count && (stage == 0 || done < rig->items[stage - 1]) &&
           (stage == last || done < rig->items[stage + 1] + STAGE_AHEAD_MAX);
}

static void stage_wake(struct rig *rig, int stage)
{
    if (stage >= 0 && stage < rig->scenario->threads_count &&
        rig->tasks[stage].state != TASK_COMPUTING && stage_may_begin(rig, stage))
        thread_release(rig, stage);
}

static void hand_on(struct rig *rig, int stage)
{
    rig->items[stage]++;
    if (stage == rig->scenario->threads_count - 1)
        phase_done(rig);
    if (rig_done(rig))
        return;
    if (stage_may_begin(rig, stage))
        thread_release(rig, stage);
    else
        rig_thread_wait(rig, stage);
    stage_wake(rig, stage + 1);
    stage_wake(rig, stage - 1);
}

/* ---- */

void rig_thread_arrive(struct rig *rig, int index)
{
    switch (rig->scenario->program) {
    case PROGRAM_PHASES:
        arrive_at_barrier(rig, index);
        break;
    case PROGRAM_LIST:
        take_from_list(rig, index);
        break;
    case PROGRAM_PIPELINE:
        hand_on(rig, index);
        break;
    }
}
