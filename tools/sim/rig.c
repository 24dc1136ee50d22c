/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/rig_state.h"

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

/* A processor fell idle or woke up: its siblings run faster or slower from now on. */
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
    rig_queue_close(rig, processor);
    if (queue->count == 1)
        siblings_renew(rig, processor);
    rig->changed = true;
}

static void task_leave(struct rig *rig, int index)
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

static void task_sleep(struct rig *rig, int index)
{
    task_leave(rig, index);
    rig->tasks[index].state = TASK_SLEEPING;
    rig->tasks[index].debt_ns = 0;
}

/* Without a kernel that balances, threads stay and hogs fall anywhere. */
static int wake_processor(struct rig *rig, int index)
{
    const struct task *task = &rig->tasks[index];

    if (rig->balancer)
        return rig->balancer->wake(rig->balancer->context, rig, index);
    if (is_thread(rig, index) && rig_may_run(rig, index, task->processor))
        return task->processor;
    return task->mask_first + (int)prng_below(&rig->wake_prng, (uint64_t)task->mask_count);
}

static void task_wake(struct rig *rig, int index)
{
    rig->tasks[index].state = TASK_COMPUTING;
    rig_task_enter(rig, index, wake_processor(rig, index));
}

/* ---- the program ---- */

bool rig_done(const struct rig *rig)
{
    return rig->phase == rig->scenario->phases_count;
}

double rig_next_work_ns(struct rig *rig)
{
    const double span = rig->scenario->uneven * (2 * prng_unit(&rig->work_prng) - 1);

    return (double)rig->scenario->phase_ns * (1 + span);
}

static void thread_release(struct rig *rig, int index)
{
    struct task *task = &rig->tasks[index];

    if (task->state == TASK_SLEEPING) {
        task->released = true;
        task->work_ns = rig_next_work_ns(rig);
        task_wake(rig, index);
        return;
    }
    rig_queue_open(rig, task->processor);
    task->state = TASK_COMPUTING;
    task->released = task->waits_since_ns >= 0;
    task->work_ns = rig_next_work_ns(rig);
    rig_queue_close(rig, task->processor);
}

static void phase_end(struct rig *rig)
{
    const struct rig_observer *observer = rig->observer;

    if (observer && observer->phase_done)
        observer->phase_done(observer->context, rig, rig->phase);
    rig->phase++;
    rig->arrived_count = 0;
    if (rig_done(rig))
        return;
    for (int i = 0; i < rig->scenario->threads_count; i++)
        thread_release(rig, i);
}

static void thread_wait(struct rig *rig, int index)
{
    struct task *task = &rig->tasks[index];

    task->waits_since_ns = rig->now_ns;
    switch (rig->scenario->barrier) {
    case BARRIER_BLOCK:
        task_sleep(rig, index);
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

static void thread_arrive(struct rig *rig, int index)
{
    if (++rig->arrived_count == rig->scenario->threads_count)
        phase_end(rig);
    else
        thread_wait(rig, index);
}

/* ---- the hogs ---- */

static int64_t hog_next_ns(const struct hog *hog)
{
    return hog->computing ? hog->cycle.end_ns : hog->cycle.compute_from_ns;
}

static void hog_turn(struct rig *rig, int index)
{
    struct hog *hog = &rig->hogs[index];
    const int task = rig->scenario->threads_count + index;

    if (hog->computing) {
        hog->cycle = schedule_next(&hog->schedule);
        task_sleep(rig, task);
    } else {
        task_wake(rig, task);
    }
    hog->computing = !hog->computing;
}

/* ---- the clock ---- */

/* A phase may be complete, or a slice at its end. */
static void queue_turn(struct rig *rig, int processor)
{
    int index;

    rig_queue_open(rig, processor);
    while (!rig_done(rig) &&
           (index = runqueue_complete(&rig->queues[processor], rig->tasks)) != TASK_NONE)
        thread_arrive(rig, index);
    rig_queue_close(rig, processor);
}

int64_t rig_next_ns(const struct rig *rig)
{
    int64_t next_ns = rig->balancer ? rig->balancer->next_ns(rig->balancer->context) : INT64_MAX;

    for (int i = 0; i < rig->processors_count; i++)
        next_ns = min_i64(next_ns, rig->queues[i].next_ns);
    for (int i = 0; i < rig->scenario->hogs.count; i++)
        next_ns = min_i64(next_ns, hog_next_ns(&rig->hogs[i]));
    return next_ns;
}

static void balancer_turn(struct rig *rig)
{
    const struct balancer *balancer = rig->balancer;

    if (rig->changed) {
        rig->changed = false;
        balancer->react(balancer->context, rig);
    }
    if (balancer->next_ns(balancer->context) <= rig->now_ns)
        balancer->turn(balancer->context, rig);
}

static void happen(struct rig *rig)
{
    for (int i = 0; i < rig->scenario->hogs.count; i++)
        if (hog_next_ns(&rig->hogs[i]) <= rig->now_ns)
            hog_turn(rig, i);
    for (int i = 0; i < rig->processors_count && !rig_done(rig); i++)
        if (rig->queues[i].next_ns <= rig->now_ns)
            queue_turn(rig, i);
    if (rig->balancer && !rig_done(rig))
        balancer_turn(rig);
}

void rig_advance(struct rig *rig, int64_t until_ns)
{
    if (rig->balancer)
        balancer_turn(rig);
    while (!rig_done(rig)) {
        const int64_t next_ns = rig_next_ns(rig);

        if (next_ns > until_ns) {
            rig->now_ns = until_ns;
            return;
        }
        rig->now_ns = max_i64(rig->now_ns, next_ns);
        happen(rig);
    }
}

/* ---- moves and views ---- */

bool rig_may_run(const struct rig *rig, int task, int processor)
{
    const struct task *entry = &rig->tasks[task];

    return processor >= entry->mask_first && processor < entry->mask_first + entry->mask_count;
}

void rig_move(struct rig *rig, int task, int processor)
{
    struct task *entry = &rig->tasks[task];
    const struct rig_observer *observer = rig->observer;

    if (entry->processor == processor)
        return;
    if (observer && observer->moved)
        observer->moved(observer->context, rig, task, entry->processor, processor);
    if (entry->state == TASK_SLEEPING) {
        entry->processor = processor;
        return;
    }
    task_leave(rig, task);
    rig_task_enter(rig, task, processor);
}

void rig_settle(struct rig *rig)
{
    for (int i = 0; i < rig->processors_count; i++)
        rig_queue_settle(rig, i);
}

void rig_finish(struct rig *rig)
{
    for (int i = 0; i < rig->processors_count; i++)
        rig_queue_open(rig, i);
}

int64_t rig_now_ns(const struct rig *rig)
{
    return rig->now_ns;
}

const struct scenario *rig_scenario(const struct rig *rig)
{
    return rig->scenario;
}

const struct task *rig_task(const struct rig *rig, int task)
{
    return &rig->tasks[task];
}

const struct runqueue *rig_queue(const struct rig *rig, int processor)
{
    return &rig->queues[processor];
}

double rig_share(const struct rig *rig, int task)
{
    return runqueue_share(&rig->queues[rig->tasks[task].processor], rig->tasks,
                          &rig->scenario->sharing, task);
}

int64_t rig_migrations_count(const struct rig *rig)
{
    return rig->migrations_count;
}
