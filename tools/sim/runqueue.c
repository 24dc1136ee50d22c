/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/runqueue.h"

#include <math.h>

/* A phase is complete when less than this is left: shares such as 1/3 leave remainders. */
#define WORK_EPSILON_NS 1e-3

/* Measured on kernel 6.18 at HZ=250: computing tasks take turns of a tick; tasks that all yield
 * take turns of 1.8 us. */
#define COMPUTE_TURN_NS (4.0 * (double)NSEC_PER_MSEC)
#define YIELD_TURN_NS   1800.0

void runqueue_init(struct runqueue *queue, double speed)
{
    *queue = (struct runqueue){
        .first = TASK_NONE,
        .last = TASK_NONE,
        .current = TASK_NONE,
        .speed = speed,
        .next_ns = INT64_MAX,
    };
}

void runqueue_add(struct runqueue *queue, struct task *tasks, int task)
{
    tasks[task].next = TASK_NONE;
    tasks[task].previous = queue->last;
    if (queue->last == TASK_NONE)
        queue->first = task;
    else
        tasks[queue->last].next = task;
    queue->last = task;
    queue->count++;
}

void runqueue_remove(struct runqueue *queue, struct task *tasks, int task)
{
    const int next = tasks[task].next;
    const int previous = tasks[task].previous;

    if (previous == TASK_NONE)
        queue->first = next;
    else
        tasks[previous].next = next;
    if (next == TASK_NONE)
        queue->last = previous;
    else
        tasks[next].previous = previous;
    if (queue->current == task)
        queue->current = TASK_NONE;
    queue->count--;
}

static double weight_of(const struct runqueue *queue, const struct task *task,
                        const struct sharing *sharing)
{
    const bool steps_back = task->state == TASK_YIELDING && queue->computing_count > 0;

    return task->weight * (steps_back ? sharing->yield_share : 1.0);
}

double runqueue_share(const struct runqueue *queue, const struct task *tasks,
                      const struct sharing *sharing, int task)
{
    const bool takes_turns = sharing->slice_ns > 0 && tasks[task].state != TASK_YIELDING;

    if (!takes_turns)
        return weight_of(queue, &tasks[task], sharing) / queue->weight;
    return task == queue->current ? queue->computing_weight / queue->weight : 0.0;
}

/* Called when the task has run since `since_ns`. The kernel counts a wait for the processor when it
 * ends, and a task sees only when it runs that it need not wait for others any more. */
static void task_seen_running(struct task *task, int64_t since_ns)
{
    task->counted_wait_ns = task->wait_ns;
    if (!task->released)
        return;
    task->told_wait_ns += since_ns - task->waits_since_ns;
    task->told_from_ns = task->waits_since_ns;
    task->told_until_ns = since_ns;
    task->waits_since_ns = -1;
    task->released = false;
}

void runqueue_settle(struct runqueue *queue, struct task *tasks, const struct sharing *sharing,
                     int64_t now_ns)
{
    const int64_t start_ns = max_i64(queue->settled_ns, min_i64(queue->stalled_until_ns, now_ns));
    const double passed_ns = (double)(now_ns - queue->settled_ns);
    const double used_ns = (double)(now_ns - start_ns);
    const double stolen_ns = (double)max_i64(
        min_i64(queue->stolen_until_ns, now_ns) - queue->settled_ns, 0);

    if (now_ns == queue->settled_ns)
        return;
    queue->settled_ns = now_ns;
    for (int i = queue->first; i != TASK_NONE; i = tasks[i].next) {
        struct task *task = &tasks[i];
        const double share = runqueue_share(queue, tasks, sharing, i);
        const double run_ns = used_ns * share;

        task->run_ns += run_ns;
        task->wait_ns += passed_ns - run_ns - stolen_ns * share;
        if (run_ns > 0)
            task_seen_running(task, start_ns);
        if (task->state == TASK_COMPUTING) {
            task->work_ns -= run_ns * queue->speed;
            task->done_ns += run_ns * queue->speed;
        }
        if (sharing->slice_ns > 0 && task->state != TASK_YIELDING)
            task->debt_ns += used_ns * weight_of(queue, task, sharing) / queue->weight - run_ns;
        else if (queue->count > 1)
            task->slices += used_ns / queue->cycle_ns;
    }
}

/* Gives the slice to the task with the greatest debt, among equals to the first in the queue. */
static void slice_begin(struct runqueue *queue, struct task *tasks, int64_t slice_ns,
                        int64_t now_ns)
{
    int chosen = TASK_NONE;

    for (int i = queue->first; i != TASK_NONE; i = tasks[i].next) {
        if (tasks[i].state == TASK_YIELDING)
            continue;
        if (chosen == TASK_NONE || tasks[i].debt_ns > tasks[chosen].debt_ns)
            chosen = i;
    }
    if (chosen != TASK_NONE && chosen != queue->current)
        tasks[chosen].slices++;
    queue->current = chosen;
    queue->slice_end_ns = now_ns + slice_ns;
}

static void weigh(struct runqueue *queue, const struct task *tasks, const struct sharing *sharing)
{
    queue->computing_count = 0;
    queue->computing_weight = 0;
    for (int i = queue->first; i != TASK_NONE; i = tasks[i].next) {
        if (tasks[i].state == TASK_YIELDING)
            continue;
        queue->computing_count++;
        queue->computing_weight += tasks[i].weight;
    }
    queue->weight = 0;
    for (int i = queue->first; i != TASK_NONE; i = tasks[i].next)
        queue->weight += weight_of(queue, &tasks[i], sharing);
    queue->cycle_ns = queue->computing_count > 0 ? queue->computing_count * COMPUTE_TURN_NS
                                                 : queue->count * YIELD_TURN_NS;
}

static int64_t next_event_ns(const struct runqueue *queue, const struct task *tasks,
                             const struct sharing *sharing, int64_t now_ns)
{
    const int64_t start_ns = max_i64(now_ns, queue->stalled_until_ns);
    const bool takes_turns = sharing->slice_ns > 0 && queue->computing_count > 1;
    double soonest_ns = INFINITY;

    for (int i = queue->first; i != TASK_NONE; i = tasks[i].next) {
        const double rate = queue->speed * runqueue_share(queue, tasks, sharing, i);

        if (tasks[i].state == TASK_COMPUTING && rate > 0)
            soonest_ns = fmin(soonest_ns, (tasks[i].work_ns - WORK_EPSILON_NS) / rate);
    }
    /* Hogs compute without end. */
    const int64_t complete_ns = soonest_ns < (double)(INT64_MAX / 2)
                                    ? start_ns + max_i64(0, (int64_t)ceil(soonest_ns))
                                    : INT64_MAX;
    return takes_turns ? min_i64(complete_ns, queue->slice_end_ns) : complete_ns;
}

void runqueue_renew(struct runqueue *queue, struct task *tasks, const struct sharing *sharing,
                    int64_t now_ns)
{
    weigh(queue, tasks, sharing);
    if (sharing->slice_ns > 0) {
        const bool ended = queue->current == TASK_NONE || now_ns >= queue->slice_end_ns ||
                           tasks[queue->current].state == TASK_YIELDING;

        if (ended)
            slice_begin(queue, tasks, sharing->slice_ns, now_ns);
    }
    queue->changed_ns = now_ns;
    queue->next_ns = next_event_ns(queue, tasks, sharing, now_ns);
}

void runqueue_stall(struct runqueue *queue, int64_t now_ns, int64_t duration_ns)
{
    queue->stalled_until_ns = max_i64(queue->stalled_until_ns, now_ns) + duration_ns;
}

void runqueue_steal(struct runqueue *queue, int64_t now_ns, int64_t duration_ns)
{
    runqueue_stall(queue, now_ns, duration_ns);
    queue->stolen_until_ns = now_ns + duration_ns;
}

void runqueue_preempt(struct runqueue *queue, const struct sharing *sharing, int task,
                      int64_t now_ns)
{
    queue->current = task;
    queue->slice_end_ns = now_ns + sharing->slice_ns;
}

int runqueue_complete(const struct runqueue *queue, const struct task *tasks)
{
    for (int i = queue->first; i != TASK_NONE; i = tasks[i].next)
        if (tasks[i].state == TASK_COMPUTING && tasks[i].work_ns <= WORK_EPSILON_NS)
            return i;
    return TASK_NONE;
}
