/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine's ports to a rig: samples are those that a kernel would show, and threads move as a
 * kernel would move them. */
#include "tools/sim/rig_state.h"

#include <math.h>

static int64_t port_now(void *world)
{
    return rig_now_ns(world);
}

/* Returns by how much the counters that the kernel shows lag behind: they are updated at ticks and
 * at changes of the run queue only. */
static double stale_ns(const struct rig *rig, const struct runqueue *queue)
{
    if (rig->scenario->tick_ns == 0)
        return 0;
    const int64_t tick_ns = rig->now_ns - rig->now_ns % rig->scenario->tick_ns;
    const int64_t seen_ns = max_i64(max_i64(tick_ns, queue->changed_ns), queue->stalled_until_ns);
    return (double)max_i64(0, rig->now_ns - seen_ns);
}

static void tell(const struct rig *rig, const struct task *task, struct sample *sample)
{
    const bool waits = task->waits_since_ns >= 0;

    switch (rig->scenario->telling) {
    case TELLING_NOTHING:
        break;
    case TELLING_WAITS:
        sample->told_wait_ns = task->told_wait_ns +
                               (waits ? rig->now_ns - task->waits_since_ns : 0);
        sample->told_since_ns = waits ? task->waits_since_ns : 0;
        sample->told_from_ns = task->told_from_ns;
        sample->told_until_ns = task->told_until_ns;
        if (waits && sample->state != SAMPLE_SLEEPING)
            sample->state = SAMPLE_WAITING;
        break;
    case TELLING_UNITS:
        sample->work_ns = 1 + llround(task->done_ns);
        break;
    }
}

static int port_sample(void *world, int thread, struct sample *sample)
{
    struct rig *rig = world;
    const struct task *task = &rig->tasks[thread];
    const struct runqueue *queue = &rig->queues[task->processor];
    const bool asleep = task->state == TASK_SLEEPING;
    double hidden_run_ns = 0, hidden_wait_ns = 0;

    if (!asleep) {
        rig_queue_settle(rig, task->processor);
        const double share = rig_share(rig, thread);
        hidden_run_ns = share * stale_ns(rig, queue);
        hidden_wait_ns = (1 - share) * stale_ns(rig, queue);
    }
    sample->now_ns = rig->now_ns;
    sample->run_ns = llround(task->run_ns - hidden_run_ns);
    sample->wait_ns = llround(fmin(task->counted_wait_ns, task->wait_ns - hidden_wait_ns));
    sample->slices_count = (int64_t)task->slices;
    sample->state = asleep ? SAMPLE_SLEEPING : SAMPLE_RUNNABLE;
    sample->processor = task->processor;
    tell(rig, task, sample);
    return 0;
}

/* A task whose mask only opens stays on the processor where the kernel has it; a task with a new
 * home goes there first. */
static int port_place(void *world, int thread, const struct move *move)
{
    struct rig *rig = world;
    struct task *task = &rig->tasks[thread];
    const struct machine *machine = &rig->scenario->machine;
    const bool opens_only = move->scope == SCOPE_DOMAIN && move->from == move->to;

    task->mask_first = move->to;
    task->mask_count = 1;
    if (move->scope == SCOPE_DOMAIN) {
        const int domain = machine->processors[move->to].domain;

        task->mask_first = machine_domain_first(machine, domain);
        task->mask_count = machine_domain_count(machine, domain);
    }
    if (!opens_only || !rig_may_run(rig, thread, task->processor))
        rig_move(rig, thread, move->to);
    return 0;
}

void rig_ports(struct rig *rig, struct ports *ports)
{
    *ports = (struct ports){
        .world = rig,
        .now = port_now,
        .sample = port_sample,
        .place = port_place,
    };
}

void rig_charge_turn(struct rig *rig, int domain)
{
    const struct machine *machine = &rig->scenario->machine;
    const int first = machine_domain_first(machine, domain);
    const int count = machine_domain_count(machine, domain);

    if (rig->scenario->turn_cost_ns == 0)
        return;
    for (int i = first; i < first + count; i++) {
        rig_queue_open(rig, i);
        runqueue_stall(&rig->queues[i], rig->now_ns, rig->scenario->turn_cost_ns);
        rig_queue_close(rig, i);
    }
}
