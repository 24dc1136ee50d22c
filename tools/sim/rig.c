/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/rig.h"

#include "libjuggle/policy/prng.h"
#include "libjuggle/policy/sort.h"
#include "tools/cpuhog/schedule.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Section 5.4. */
static const struct duration_range hog_sleep = {0, 5 * NSEC_PER_SEC};
static const struct duration_range hog_compute = {5 * NSEC_PER_SEC, 10 * NSEC_PER_SEC};

enum {
    NICE_LOW = -20,
    NICE_HIGH = 19,
    WEIGHT_NORMAL = 1024,
};

/* How the kernel weighs nice values: a step is a tenth of the processor. */
static const int nice_weights[NICE_HIGH - NICE_LOW + 1] = {
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906,  3121,  2501,  1991,  1586,  1277,  1024,  820,   655,   526,   423,  335,  272,  215,
    172,   137,   110,   87,    70,    56,    45,    36,    29,    23,    18,   15,
};

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

/* ---- queues and speeds ---- */

static void queue_settle(struct rig *rig, int processor)
{
    runqueue_settle(&rig->queues[processor], rig->tasks, &rig->scenario->sharing, rig->now_ns);
}

/* Before the queue's tasks or their shares change. */
static void queue_open(struct rig *rig, int processor)
{
    struct runqueue *queue = &rig->queues[processor];
    const struct rig_observer *observer = rig->observer;

    queue_settle(rig, processor);
    if (observer && observer->span && queue->changed_ns < rig->now_ns)
        observer->span(observer->context, rig, processor, queue->changed_ns);
    queue->changed_ns = rig->now_ns;
}

static void queue_close(struct rig *rig, int processor)
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
        queue_open(rig, i);
        rig->queues[i].speed = speed_of(rig, i);
        queue_close(rig, i);
    }
}

static bool is_thread(const struct rig *rig, int task)
{
    return task < rig->scenario->threads_count;
}

/* The task begins on the processor: a cold cache costs work, except where all begins. */
static void task_enter(struct rig *rig, int index, int processor)
{
    struct task *task = &rig->tasks[index];
    struct runqueue *queue = &rig->queues[processor];

    if (task->last_ran_on != TASK_NONE && task->last_ran_on != processor && rig->now_ns > 0) {
        task->work_ns += (double)rig->scenario->migration_cost_ns;
        rig->migrations_count += is_thread(rig, index);
    }
    queue_open(rig, processor);
    task->processor = task->last_ran_on = processor;
    task->slices++;
    runqueue_add(queue, rig->tasks, index);
    queue_close(rig, processor);
    if (queue->count == 1)
        siblings_renew(rig, processor);
    rig->changed = true;
}

static void task_leave(struct rig *rig, int index)
{
    const int processor = rig->tasks[index].processor;
    struct runqueue *queue = &rig->queues[processor];

    queue_open(rig, processor);
    runqueue_remove(queue, rig->tasks, index);
    queue_close(rig, processor);
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
    task_enter(rig, index, wake_processor(rig, index));
}

/* ---- the program ---- */

bool rig_done(const struct rig *rig)
{
    return rig->phase == rig->scenario->phases_count;
}

static double next_work_ns(struct rig *rig)
{
    const double span = rig->scenario->uneven * (2 * prng_unit(&rig->work_prng) - 1);

    return (double)rig->scenario->phase_ns * (1 + span);
}

static void thread_release(struct rig *rig, int index)
{
    struct task *task = &rig->tasks[index];

    if (task->state == TASK_SLEEPING) {
        task->work_ns = next_work_ns(rig);
        task_wake(rig, index);
        return;
    }
    queue_open(rig, task->processor);
    task->state = TASK_COMPUTING;
    task->work_ns = next_work_ns(rig);
    queue_close(rig, task->processor);
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
    queue_close(rig, task->processor);
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

    queue_open(rig, processor);
    while (!rig_done(rig) &&
           (index = runqueue_complete(&rig->queues[processor], rig->tasks)) != TASK_NONE)
        thread_arrive(rig, index);
    queue_close(rig, processor);
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
    task_enter(rig, task, processor);
}

void rig_settle(struct rig *rig)
{
    for (int i = 0; i < rig->processors_count; i++)
        queue_settle(rig, i);
}

void rig_finish(struct rig *rig)
{
    for (int i = 0; i < rig->processors_count; i++)
        queue_open(rig, i);
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

/* ---- the ports ---- */

static int64_t port_now(void *world)
{
    return rig_now_ns(world);
}

/* How far the counters that the kernel shows lag behind: they move at ticks and changes alone. */
static double stale_ns(const struct rig *rig, const struct runqueue *queue)
{
    if (rig->scenario->tick_ns == 0)
        return 0;
    const int64_t tick_ns = rig->now_ns - rig->now_ns % rig->scenario->tick_ns;
    const int64_t seen_ns = max_i64(max_i64(tick_ns, queue->changed_ns), queue->stalled_until_ns);
    return (double)max_i64(0, rig->now_ns - seen_ns);
}

static int port_sample(void *world, int thread, struct sample *sample)
{
    struct rig *rig = world;
    const struct task *task = &rig->tasks[thread];
    const struct runqueue *queue = &rig->queues[task->processor];
    const bool asleep = task->state == TASK_SLEEPING;
    double hidden_run_ns = 0, hidden_wait_ns = 0;

    if (!asleep) {
        queue_settle(rig, task->processor);
        const double share = rig_share(rig, thread);
        hidden_run_ns = share * stale_ns(rig, queue);
        hidden_wait_ns = (1 - share) * stale_ns(rig, queue);
    }
    sample->now_ns = rig->now_ns;
    sample->run_ns = llround(task->run_ns - hidden_run_ns);
    sample->wait_ns = llround(task->wait_ns - hidden_wait_ns);
    sample->slices_count = (int64_t)task->slices;
    sample->state = asleep ? SAMPLE_SLEEPING : SAMPLE_RUNNABLE;
    sample->processor = task->processor;
    return 0;
}

/* A task whose mask opens stays where the kernel has it; one that is moved goes there first. */
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
        queue_open(rig, i);
        runqueue_stall(&rig->queues[i], rig->now_ns, rig->scenario->turn_cost_ns);
        queue_close(rig, i);
    }
}

/* ---- create, destroy ---- */

/* How many siblings of the processor come before it. */
static int place_in_core(const struct machine *machine, int processor)
{
    int place = 0;

    for (int i = 0; i < processor; i++)
        place += machine->processors[i].core == machine->processors[processor].core;
    return place;
}

/* As a kernel places new threads: a core of its own for each while there is one, fast ones first.
 */
static void order_begin(const struct rig *rig, struct sort_item *order)
{
    for (int i = 0; i < rig->processors_count; i++) {
        const int place = place_in_core(&rig->scenario->machine, i);

        order[i] = (struct sort_item){
            .key = place * (2 * RATE_MAX) - llround(rig->scenario->speeds[i] * (double)RATE_ONE),
            .index = i,
        };
    }
    sort_items(order, rig->processors_count);
}

/* Threads begin distributed cyclically, as a launcher leaves them, and may run everywhere. */
static void threads_begin(struct rig *rig)
{
    struct sort_item order[MACHINE_PROCESSORS_MAX];

    order_begin(rig, order);
    for (int i = 0; i < rig->scenario->threads_count; i++) {
        rig->tasks[i] = (struct task){
            .state = TASK_COMPUTING,
            .weight = WEIGHT_NORMAL,
            .last_ran_on = TASK_NONE,
            .mask_count = rig->processors_count,
            .work_ns = next_work_ns(rig),
        };
        task_enter(rig, i, order[i % rig->processors_count].index);
    }
}

static void hogs_begin(struct rig *rig)
{
    const struct scenario_hogs *hogs = &rig->scenario->hogs;

    for (int i = 0; i < hogs->count; i++) {
        const int home = i % rig->processors_count;

        rig->tasks[rig->scenario->threads_count + i] = (struct task){
            .state = TASK_SLEEPING,
            .weight = nice_weights[hogs->nice[i] - NICE_LOW],
            .processor = home,
            .last_ran_on = TASK_NONE,
            .mask_first = hogs->pinned ? home : 0,
            .mask_count = hogs->pinned ? 1 : rig->processors_count,
            .work_ns = INFINITY,
        };
        schedule_init(&rig->hogs[i].schedule, duration_range_scaled(hog_sleep, hogs->scale),
                      duration_range_scaled(hog_compute, hogs->scale),
                      rig->scenario->seed + (uint64_t)i);
        rig->hogs[i].cycle = schedule_next(&rig->hogs[i].schedule);
    }
}

static void rig_begin(struct rig *rig)
{
    enum { WORK_STREAM = 1, WAKE_STREAM };

    prng_seed(&rig->work_prng, rig->scenario->seed ^ (uint64_t)WORK_STREAM << 32);
    prng_seed(&rig->wake_prng, rig->scenario->seed ^ (uint64_t)WAKE_STREAM << 32);
    for (int i = 0; i < rig->processors_count; i++)
        runqueue_init(&rig->queues[i], rig->scenario->speeds[i]);
    threads_begin(rig);
    hogs_begin(rig);
}

int rig_create(const struct scenario *scenario, const struct balancer *balancer,
               const struct rig_observer *observer, struct rig **rig)
{
    struct rig *made = calloc(1, sizeof(*made));

    if (!made)
        return -ENOMEM;
    made->scenario = scenario;
    made->balancer = balancer;
    made->observer = observer;
    made->tasks_count = scenario->threads_count + scenario->hogs.count;
    made->processors_count = scenario->machine.processors_count;
    made->tasks = calloc((size_t)made->tasks_count, sizeof(*made->tasks));
    made->queues = calloc((size_t)made->processors_count, sizeof(*made->queues));
    made->hogs = calloc((size_t)scenario->hogs.count + 1, sizeof(*made->hogs));
    if (!made->tasks || !made->queues || !made->hogs) {
        rig_destroy(made);
        return -ENOMEM;
    }
    rig_begin(made);
    *rig = made;
    return 0;
}

void rig_destroy(struct rig *rig)
{
    if (!rig)
        return;
    free(rig->hogs);
    free(rig->queues);
    free(rig->tasks);
    free(rig);
}
