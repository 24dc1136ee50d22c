/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/rig_state.h"

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
        rig_task_sleep(rig, task);
    } else {
        rig_task_wake(rig, task);
    }
    hog->computing = !hog->computing;
}

/* ---- the host ---- */

static void theft_turn(struct rig *rig, int processor)
{
    const int64_t spell_ns = rig_around_ns(rig, (double)rig->scenario->theft.spell_ns);

    rig_queue_open(rig, processor);
    runqueue_steal(&rig->queues[processor], rig->now_ns, spell_ns);
    rig_queue_close(rig, processor);
    rig_theft_draw(rig, processor, rig->now_ns + spell_ns);
}

/* ---- the clock ---- */

/* Called when a phase may be complete, or a slice has ended. */
static void queue_turn(struct rig *rig, int processor)
{
    int index;

    rig_queue_open(rig, processor);
    while (!rig_done(rig) &&
           (index = runqueue_complete(&rig->queues[processor], rig->tasks)) != TASK_NONE)
        rig_thread_arrive(rig, index);
    rig_queue_close(rig, processor);
}

/* Returns the time of the next event, or INT64_MAX. */
static int64_t next_ns_of(const struct rig *rig)
{
    int64_t next_ns = rig->balancer ? rig->balancer->next_ns(rig->balancer->context) : INT64_MAX;

    for (int i = 0; i < rig->processors_count; i++)
        next_ns = min_i64(next_ns, rig->queues[i].next_ns);
    for (int i = 0; i < rig->scenario->hogs.count; i++)
        next_ns = min_i64(next_ns, hog_next_ns(&rig->hogs[i]));
    for (int i = 0; rig->scenario->theft.share > 0 && i < rig->processors_count; i++)
        next_ns = min_i64(next_ns, rig->theft_ns[i]);
    return next_ns;
}

static void balancer_turn(struct rig *rig)
{
    const struct load_balancer *balancer = rig->balancer;

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
    for (int i = 0; rig->scenario->theft.share > 0 && i < rig->processors_count; i++)
        if (rig->theft_ns[i] <= rig->now_ns)
            theft_turn(rig, i);
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
        const int64_t next_ns = next_ns_of(rig);

        if (next_ns > until_ns) {
            rig->now_ns = until_ns;
            return;
        }
        rig->now_ns = max_i64(rig->now_ns, next_ns);
        happen(rig);
    }
}

/* ---- moves and views ---- */

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
    rig_task_leave(rig, task);
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
