/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/reactive.h"

#include "tools/sim/rig.h"

/* The least loaded processor of the task's mask, the one where it was if that is no worse. */
static int wake(void *context, const struct rig *rig, int task)
{
    const struct task *entry = rig_task(rig, task);
    int best = rig_may_run(rig, task, entry->processor) ? entry->processor : entry->mask_first;

    (void)context;
    for (int i = entry->mask_first; i < entry->mask_first + entry->mask_count; i++)
        if (rig_queue(rig, i)->count < rig_queue(rig, best)->count)
            best = i;
    return best;
}

/* Of the queue's tasks that may run on `to`, the one with most work left: it has waited longest. */
static int neediest(const struct rig *rig, int from, int to)
{
    int best = TASK_NONE;

    for (int i = rig_queue(rig, from)->first; i != TASK_NONE; i = rig_task(rig, i)->next) {
        if (!rig_may_run(rig, i, to))
            continue;
        if (best == TASK_NONE || rig_task(rig, i)->work_ns > rig_task(rig, best)->work_ns)
            best = i;
    }
    return best;
}

static void react(void *context, struct rig *rig)
{
    const int processors_count = rig_scenario(rig)->machine.processors_count;

    (void)context;
    rig_settle(rig);
    for (;;) {
        int fullest = 0, emptiest = 0;

        for (int i = 1; i < processors_count; i++) {
            if (rig_queue(rig, i)->count > rig_queue(rig, fullest)->count)
                fullest = i;
            if (rig_queue(rig, i)->count < rig_queue(rig, emptiest)->count)
                emptiest = i;
        }
        if (rig_queue(rig, fullest)->count < rig_queue(rig, emptiest)->count + 2)
            return;
        const int task = neediest(rig, fullest, emptiest);
        if (task == TASK_NONE)
            return;
        rig_move(rig, task, emptiest);
    }
}

static int64_t next_ns(const void *context)
{
    (void)context;
    return INT64_MAX;
}

struct balancer reactive_balancer(void)
{
    return (struct balancer){.wake = wake, .react = react, .next_ns = next_ns};
}
