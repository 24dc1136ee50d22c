/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/kernel.h"

#include "libjuggle/ground/prng.h"
#include "tools/sim/rig.h"

#include <errno.h>
#include <stdlib.h>

/* HZ=250 and the defaults of kernels since 5.10. Balancing happens at ticks; an idle processor
 * compares loads at intervals of INTERVAL_NS_PER_PROCESSOR times the machine's processors. */
#define TICK_NS                   (4 * NSEC_PER_MSEC)
#define INTERVAL_NS_PER_PROCESSOR (1 * NSEC_PER_MSEC)

enum {
    INTERVAL_GROWTH = 2, /* the interval doubles while loads are even, up to this factor */
    BUSY_FACTOR = 16,    /* the interval of a busy processor is longer by this factor */
    IMBALANCE_PCT = 117, /* loads are even up to this ratio */
    CAPACITY_PCT = 98,   /* interrupts take a little of every processor: exact halves do not fit */
    FAILURES_MAX = 16,   /* more failed attempts in a row are not counted */
    ACTIVE_AFTER = 3,    /* failed attempts before a running task is moved to an idle core */
    FASTER_PCT = 108,    /* a processor is faster if above this multiple of the other's speed */
    PERCENT = 100,
};

/* The state of a processor's attempts to pull a task. */
struct pull_state {
    int64_t next_ns;
    int64_t interval_ns; /* while the processor is idle */
    int failures;
};

struct kernel {
    struct prng prng;
    int processors_count;
    int64_t next_ns;
    struct pull_state pull_states[];
};

static int64_t interval_min_ns(const struct kernel *kernel)
{
    return INTERVAL_NS_PER_PROCESSOR * kernel->processors_count;
}

static bool is_idle(const struct rig *rig, int processor)
{
    return rig_queue(rig, processor)->count == 0;
}

/* Returns the present speed, which is lower while a sibling is busy. */
static double speed_of(const struct rig *rig, int processor)
{
    return rig_queue(rig, processor)->speed;
}

static double capacity_of(const struct rig *rig, int processor)
{
    return rig_scenario(rig)->speeds[processor];
}

/* ---- waking ---- */

static int wake(void *context, const struct rig *rig, int task)
{
    const struct task *entry = rig_task(rig, task);
    const int end = entry->mask_first + entry->mask_count;
    const int home = rig_may_run(rig, task, entry->processor) ? entry->processor
                                                              : entry->mask_first;

    (void)context;
    if (is_idle(rig, home))
        return home;
    int best = home;
    for (int i = entry->mask_first; i < end; i++)
        if (is_idle(rig, i) && (best == home || speed_of(rig, i) > speed_of(rig, best)))
            best = i;
    return best;
}

/* ---- pulling ---- */

/* Returns the weight of the processor's tasks, divided by its capacity. */
static double load_of(const struct rig *rig, int processor)
{
    double load = 0;

    for (int i = rig_queue(rig, processor)->first; i != TASK_NONE; i = rig_task(rig, i)->next)
        load += rig_task(rig, i)->weight;
    return load / capacity_of(rig, processor);
}

static double load_mean(const struct kernel *kernel, const struct rig *rig)
{
    double load = 0;
    double capacity = 0;

    for (int i = 0; i < kernel->processors_count; i++) {
        load += load_of(rig, i) * capacity_of(rig, i);
        capacity += capacity_of(rig, i);
    }
    return load / capacity;
}

/* Returns how many tasks of a queue may run on `to`, or 0 if the queue has fewer than two. */
static int candidates_count(const struct rig *rig, int from, int to)
{
    int count = 0;

    if (rig_queue(rig, from)->count < 2)
        return 0;
    for (int i = rig_queue(rig, from)->first; i != TASK_NONE; i = rig_task(rig, i)->next)
        count += rig_may_run(rig, i, to);
    return count;
}

/* Returns a random candidate: which of them waits at this instant is a matter of chance. */
static int pick_task(struct kernel *kernel, const struct rig *rig, int from, int to)
{
    const int count = candidates_count(rig, from, to);
    int picked = TASK_NONE;

    if (count == 0)
        return TASK_NONE;
    int skip = (int)prng_below(&kernel->prng, (uint64_t)count);
    for (int i = rig_queue(rig, from)->first; i != TASK_NONE; i = rig_task(rig, i)->next) {
        if (!rig_may_run(rig, i, to))
            continue;
        picked = i;
        if (skip-- == 0)
            break;
    }
    return picked;
}

/* Returns the most loaded processor with a candidate for `to`, or TASK_NONE. */
static int busiest_for(const struct kernel *kernel, const struct rig *rig, int to)
{
    int busiest = TASK_NONE;
    double most = 0;

    for (int i = 0; i < kernel->processors_count; i++) {
        if (i == to || !candidates_count(rig, i, to))
            continue;
        const double load = load_of(rig, i);
        if (load > most) {
            most = load;
            busiest = i;
        }
    }
    return busiest;
}

static void pull(struct kernel *kernel, struct rig *rig, int from, int to)
{
    rig_move(rig, pick_task(kernel, rig, from, to), to);
}

static bool is_faster(double speed, double other)
{
    return PERCENT * speed > FASTER_PCT * other;
}

/* Returns the slowest processor whose only task may run on `to`, or TASK_NONE. */
static int slowest_for(const struct kernel *kernel, const struct rig *rig, int to)
{
    int slowest = TASK_NONE;

    for (int i = 0; i < kernel->processors_count; i++) {
        if (rig_queue(rig, i)->count != 1 || !rig_may_run(rig, rig_queue(rig, i)->first, to))
            continue;
        if (slowest == TASK_NONE || speed_of(rig, i) < speed_of(rig, slowest))
            slowest = i;
    }
    return slowest;
}

/* Moves the task of the slowest processor to the idle processor `to` if `to` is of a faster kind
 * and is faster at present. */
static void pull_up(const struct kernel *kernel, struct rig *rig, int to)
{
    const int slowest = slowest_for(kernel, rig, to);

    if (slowest != TASK_NONE && is_faster(capacity_of(rig, to), capacity_of(rig, slowest)) &&
        is_faster(speed_of(rig, to), speed_of(rig, slowest)))
        rig_move(rig, rig_queue(rig, slowest)->first, to);
}

static void react(void *context, struct rig *rig)
{
    struct kernel *kernel = context;

    for (int i = 0; i < kernel->processors_count; i++) {
        if (!is_idle(rig, i))
            continue;
        const int busiest = busiest_for(kernel, rig, i);
        if (busiest != TASK_NONE)
            pull(kernel, rig, busiest, i);
        else
            pull_up(kernel, rig, i);
    }
}

/* ---- rotation ---- */

enum attempt { ATTEMPT_EVEN, ATTEMPT_FAILED, ATTEMPT_PULLED };

/* An idle processor pulls a task that is slowed by a busy sibling. */
static enum attempt try_pull_from_sibling(struct kernel *kernel, struct rig *rig, int processor)
{
    const int slowest = slowest_for(kernel, rig, processor);

    if (!is_idle(rig, processor) || slowest == TASK_NONE ||
        !is_faster(speed_of(rig, processor), speed_of(rig, slowest)))
        return ATTEMPT_EVEN;
    if (kernel->pull_states[processor].failures < ACTIVE_AFTER)
        return ATTEMPT_FAILED;
    rig_move(rig, rig_queue(rig, slowest)->first, processor);
    return ATTEMPT_PULLED;
}

static enum attempt try_pull(struct kernel *kernel, struct rig *rig, int processor)
{
    const struct pull_state *state = &kernel->pull_states[processor];
    const int busiest = busiest_for(kernel, rig, processor);

    if (busiest == TASK_NONE)
        return try_pull_from_sibling(kernel, rig, processor);
    const double local = load_of(rig, processor);
    const double most = load_of(rig, busiest);
    const double mean = load_mean(kernel, rig);
    if (local >= mean || PERCENT * most <= IMBALANCE_PCT * local)
        return ATTEMPT_EVEN;

    const double above = (most - mean) * capacity_of(rig, busiest);
    const double below = (mean - local) * capacity_of(rig, processor);
    const double distance = above < below ? above : below;
    const double missing = distance * CAPACITY_PCT / PERCENT;
    const int task = pick_task(kernel, rig, busiest, processor);
    const int weight = rig_task(rig, task)->weight >> state->failures;
    if (local > 0 && weight > missing)
        return ATTEMPT_FAILED;
    rig_move(rig, task, processor);
    return ATTEMPT_PULLED;
}

static void schedule(struct kernel *kernel, struct rig *rig, int processor)
{
    struct pull_state *state = &kernel->pull_states[processor];
    const int64_t now_ns = rig_now_ns(rig);
    int64_t interval_ns = state->interval_ns;

    if (!is_idle(rig, processor))
        interval_ns = interval_ns * BUSY_FACTOR - TICK_NS;
    const int64_t due_ns = now_ns + max_i64(interval_ns, TICK_NS);
    state->next_ns = due_ns - due_ns % TICK_NS;
}

static void pull_and_schedule(struct kernel *kernel, struct rig *rig, int processor)
{
    struct pull_state *state = &kernel->pull_states[processor];
    const int64_t shortest_ns = interval_min_ns(kernel);

    switch (try_pull(kernel, rig, processor)) {
    case ATTEMPT_EVEN:
        state->failures = 0;
        state->interval_ns = min_i64(2 * state->interval_ns, shortest_ns * INTERVAL_GROWTH);
        break;
    case ATTEMPT_FAILED:
        if (state->failures < FAILURES_MAX)
            state->failures++;
        state->interval_ns = shortest_ns;
        break;
    case ATTEMPT_PULLED:
        state->failures = 0;
        state->interval_ns = shortest_ns;
        break;
    }
    schedule(kernel, rig, processor);
}

static void turn(void *context, struct rig *rig)
{
    struct kernel *kernel = context;

    kernel->next_ns = INT64_MAX;
    for (int i = 0; i < kernel->processors_count; i++) {
        if (kernel->pull_states[i].next_ns <= rig_now_ns(rig))
            pull_and_schedule(kernel, rig, i);
        kernel->next_ns = min_i64(kernel->next_ns, kernel->pull_states[i].next_ns);
    }
}

static int64_t next_ns(const void *context)
{
    const struct kernel *kernel = context;

    return kernel->next_ns;
}

/* ---- create, destroy ---- */

/* Processors begin at different times, as on a machine that has been up for a while. */
static void pull_states_begin(struct kernel *kernel)
{
    const int64_t spread_ns = interval_min_ns(kernel) * BUSY_FACTOR;
    const uint64_t ticks = (uint64_t)max_i64(1, spread_ns / TICK_NS);

    kernel->next_ns = INT64_MAX;
    for (int i = 0; i < kernel->processors_count; i++) {
        kernel->pull_states[i].interval_ns = interval_min_ns(kernel);
        kernel->pull_states[i].next_ns = (1 + (int64_t)prng_below(&kernel->prng, ticks)) * TICK_NS;
        kernel->next_ns = min_i64(kernel->next_ns, kernel->pull_states[i].next_ns);
    }
}

int kernel_create(const struct scenario *scenario, struct kernel **kernel)
{
    const int processors_count = scenario->machine.processors_count;
    struct kernel *made = calloc(1, sizeof(*made) +
                                        (size_t)processors_count * sizeof(made->pull_states[0]));

    if (!made)
        return -ENOMEM;
    made->processors_count = processors_count;
    prng_seed(&made->prng, scenario->seed);
    pull_states_begin(made);
    *kernel = made;
    return 0;
}

void kernel_destroy(struct kernel *kernel)
{
    free(kernel);
}

struct load_balancer kernel_balancer(struct kernel *kernel)
{
    return (struct load_balancer){
        .context = kernel,
        .wake = wake,
        .react = react,
        .next_ns = next_ns,
        .turn = turn,
    };
}
