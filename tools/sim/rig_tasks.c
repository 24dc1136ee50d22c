/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks in run queues: how they come and go, and how fast their processors are meanwhile. */
#include "tools/sim/rig_state.h"

#include <math.h>

/* ---- queues and speeds ---- */

void rig_queue_settle(struct rig *rig, int processor)
{
    runqueue_settle(&rig->queues[processor], rig->tasks, &rig->scenario->sharing, rig->now_ns);
}

void rig_queue_open(struct rig *rig, int processor)
{
    struct runqueue *queue = &rig->queues[processor];
    const struct rig_observer *observer = rig->observer;

    rig_queue_settle(rig, processor);
    if (observer && observer->span && queue->changed_ns < rig->now_ns)
        observer->span(observer->context, rig, processor, queue->changed_ns);
    queue->changed_ns = rig->now_ns;
}

void rig_queue_close(struct rig *rig, int processor)
{
    runqueue_renew(&rig->queues[processor], rig->tasks, &rig->scenario->sharing, rig->now_ns);
}

static double speed_of(const struct rig *rig, int processor)
{
    const struct processor *processors = rig->scenario->machine.processors;

    for (int i = 0; i < rig->processors_count; i++)
        if (i != processor && processors[i].core == processors[processor].core &&
            rig->queues[i].count > 0)
            return rig->scenario->speeds[processor] * rig->scenario->smt_speed;
    return rig->scenario->speeds[processor];
}

/* Called when a processor has become idle or busy: this changes the speed of its siblings. */
static void siblings_renew(struct rig *rig, int processor)
{
    const struct processor *processors = rig->scenario->machine.processors;

    if (rig->scenario->smt_speed == 1.0)
        return;
    for (int i = 0; i < rig->processors_count; i++) {
        if (processors[i].core != processors[processor].core)
            continue;
        rig_queue_open(rig, i);
        rig->queues[i].speed = speed_of(rig, i);
        rig_queue_close(rig, i);
    }
}

static bool is_thread(const struct rig *rig, int task)
{
    return task < rig->scenario->threads_count;
}

void rig_task_enter(struct rig *rig, int index, int processor)
{
    struct task *task = &rig->tasks[index];
    struct runqueue *queue = &rig->queues[processor];

    if (task->last_ran_on != TASK_NONE && task->last_ran_on != processor && rig->now_ns > 0) {
        task->work_ns += (double)rig->scenario->migration_cost_ns;
        rig->migrations_count += is_thread(rig, index);
    }
    rig_queue_open(rig, processor);
    task->processor = task->last_ran_on = processor;
    task->slices++;
    runqueue_add(queue, rig->tasks, index);
    if (rig->scenario->sharing.preempts)
        runqueue_preempt(queue, &rig->scenario->sharing, index, rig->now_ns);
    rig_queue_close(rig, processor);
    if (queue->count == 1)
        siblings_renew(rig, processor);
    rig->changed = true;
}

void rig_task_leave(struct rig *rig, int index)
{
    const int processor = rig->tasks[index].processor;
    struct runqueue *queue = &rig->queues[processor];

    rig_queue_open(rig, processor);
    runqueue_remove(queue, rig->tasks, index);
    rig_queue_close(rig, processor);
    if (queue->count == 0)
        siblings_renew(rig, processor);
    rig->changed = true;
}

/* ---- sleep and wake ---- */

void rig_task_sleep(struct rig *rig, int index)
{
    rig_task_leave(rig, index);
    rig->tasks[index].state = TASK_SLEEPING;
    rig->tasks[index].debt_ns = 0;
}

bool rig_may_run(const struct rig *rig, int task, int processor)
{
    const struct task *entry = &rig->tasks[task];

    return processor >= entry->mask_first && processor < entry->mask_first + entry->mask_count;
}

/* If no kernel balances, threads stay on their processors, and hogs wake on a random one. */
static int wake_processor(struct rig *rig, int index)
{
    const struct task *task = &rig->tasks[index];

    if (rig->balancer)
        return rig->balancer->wake(rig->balancer->context, rig, index);
    if (is_thread(rig, index) && rig_may_run(rig, index, task->processor))
        return task->processor;
    return task->mask_first + (int)prng_below(&rig->wake_prng, (uint64_t)task->mask_count);
}

void rig_task_wake(struct rig *rig, int index)
{
    rig->tasks[index].state = TASK_COMPUTING;
    rig_task_enter(rig, index, wake_processor(rig, index));
}

/* ---- the host ---- */

/* Uniform up to twice the mean, and at most 73 years. */
int64_t rig_around_ns(struct rig *rig, double mean_ns)
{
    const double drawn_ns = 2 * mean_ns * prng_unit(&rig->theft_prng);

    return 1 + (int64_t)fmin(drawn_ns, (double)(INT64_MAX / 4));
}

void rig_theft_draw(struct rig *rig, int processor, int64_t from_ns)
{
    const struct scenario_theft *theft = &rig->scenario->theft;
    const double between_ns = (double)theft->spell_ns * (1 - theft->share) / theft->share;

    rig->theft_ns[processor] = theft->share > 0 ? from_ns + rig_around_ns(rig, between_ns)
                                                : INT64_MAX;
}
