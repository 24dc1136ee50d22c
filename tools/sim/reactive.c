/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/reactive.h"

#include "tools/sim/rig.h"

/* Returns the processor of the task's mask with the fewest tasks; its last one, unless another has
 * fewer. */
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

/* Returns the task of the queue with the most work left that may run on `to`, or TASK_NONE: it has
 * waited longest. */
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

/* Moves tasks until the lengths of run queues differ by at most one, as far as masks allow. */
static void even_out(struct rig *rig)
{
    const int processors_count = rig_scenario(rig)->machine.processors_count;

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

/* ---- where processors differ ---- */

static double rate_of(const struct rig *rig, int processor)
{
    return rig_queue(rig, processor)->speed / rig_queue(rig, processor)->count;
}

/* Returns the task with the most work left of those that would run faster on the idle processor, or
 * TASK_NONE. */
static int gainer(const struct rig *rig, int to)
{
    const int processors_count = rig_scenario(rig)->machine.processors_count;
    const double offer = rig_queue(rig, to)->speed;
    int best = TASK_NONE;

    for (int i = 0; i < processors_count; i++) {
        if (rig_queue(rig, i)->count == 0 || rate_of(rig, i) >= offer)
            continue;
        const int task = neediest(rig, i, to);
        if (task != TASK_NONE &&
            (best == TASK_NONE || rig_task(rig, task)->work_ns > rig_task(rig, best)->work_ns))
            best = task;
    }
    return best;
}

/* Moves tasks to faster idle processors. Every move makes its task faster, and no other one slower,
 * so that as many rounds as there are processors suffice. */
static void climb(struct rig *rig)
{
    const int processors_count = rig_scenario(rig)->machine.processors_count;

    for (int round = 0; round < processors_count; round++) {
        int fastest = TASK_NONE;

        for (int i = 0; i < processors_count; i++)
            if (rig_queue(rig, i)->count == 0 &&
                (fastest == TASK_NONE || rig_queue(rig, i)->speed > rig_queue(rig, fastest)->speed))
                fastest = i;
        const int task = fastest == TASK_NONE ? TASK_NONE : gainer(rig, fastest);
        if (task == TASK_NONE)
            return;
        rig_move(rig, task, fastest);
    }
}

/* Returns the task of the queue with the least work left. */
static int least_needy(const struct rig *rig, int processor)
{
    int best = TASK_NONE;

    for (int i = rig_queue(rig, processor)->first; i != TASK_NONE; i = rig_task(rig, i)->next)
        if (best == TASK_NONE || rig_task(rig, i)->work_ns < rig_task(rig, best)->work_ns)
            best = i;
    return best;
}

/* Exchanges the task with the most work left on the slow processor for the one with the least on
 * the fast one, if the former has more. True if it did. */
static bool exchange(struct rig *rig, int slow, int fast)
{
    if (rig_queue(rig, slow)->count == 0 || rig_queue(rig, fast)->count == 0 ||
        rate_of(rig, slow) >= rate_of(rig, fast))
        return false;
    const int up = neediest(rig, slow, fast);
    const int down = least_needy(rig, fast);
    if (up == TASK_NONE || !rig_may_run(rig, down, slow) ||
        rig_task(rig, up)->work_ns <= rig_task(rig, down)->work_ns)
        return false;
    rig_move(rig, up, fast);
    rig_move(rig, down, slow);
    return true;
}

/* Gives the fastest slots to the tasks with the most work left. Every exchange puts two tasks into
 * that order. The number of passes is limited, because the cost of moves may undo the order. */
static void sort_by_need(struct rig *rig)
{
    const int processors_count = rig_scenario(rig)->machine.processors_count;
    bool changed = true;

    for (int pass = 0; changed && pass < processors_count; pass++) {
        changed = false;
        for (int slow = 0; slow < processors_count; slow++)
            for (int fast = 0; fast < processors_count; fast++)
                changed |= exchange(rig, slow, fast);
    }
}

static void react(void *context, struct rig *rig)
{
    (void)context;
    rig_settle(rig);
    even_out(rig);
    if (!scenario_unequal(rig_scenario(rig)))
        return;
    climb(rig);
    rig_settle(rig);
    sort_by_need(rig);
}

static int64_t next_ns(const void *context)
{
    (void)context;
    return INT64_MAX;
}

struct load_balancer reactive_balancer(void)
{
    return (struct load_balancer){.wake = wake, .react = react, .next_ns = next_ns};
}
