/* SPDX-License-Identifier: BSD-3-Clause */
/* The initial state of a rig: which task is on which processor, with how much work. */
#include "tools/sim/rig_state.h"

#include "libjuggle/ground/sort.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Section 5.4. */
static const struct duration_range hog_sleep = {0, 5 * NSEC_PER_SEC};
static const struct duration_range hog_compute = {5 * NSEC_PER_SEC, 10 * NSEC_PER_SEC};

bool rig_hogs_take_turns(double scale)
{
    return cycle_is_possible(hog_sleep, hog_compute, scale);
}

enum {
    NICE_LOW = -20,
    NICE_HIGH = 19,
    WEIGHT_NORMAL = 1024,
};

/* The kernel's weights of nice values: one step changes the share by about a tenth of the
 * processor. */
static const int nice_weights[NICE_HIGH - NICE_LOW + 1] = {
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906,  3121,  2501,  1991,  1586,  1277,  1024,  820,   655,   526,   423,  335,  272,  215,
    172,   137,   110,   87,    70,    56,    45,    36,    29,    23,    18,   15,
};

/* Returns how many siblings of the processor have a lower index. */
static int place_in_core(const struct machine *machine, int processor)
{
    int place = 0;

    for (int i = 0; i < processor; i++)
        place += machine->processors[i].core == machine->processors[processor].core;
    return place;
}

/* Orders the processors as a kernel fills them with new threads: first one of each core, fast ones
 * first. */
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

/* Distributes the threads cyclically, as a launcher does; they may run everywhere. */
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
            .work_ns = rig_next_work_ns(rig, i),
            .waits_since_ns = -1,
        };
        rig_task_enter(rig, i, order[i % rig->processors_count].index);
    }
    if (rig->scenario->program != PROGRAM_PIPELINE)
        return;
    for (int i = 1; i < rig->scenario->threads_count; i++)
        rig_thread_wait(rig, i);
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
    enum { WORK_STREAM = 1, WAKE_STREAM, THEFT_STREAM };

    prng_seed(&rig->work_prng, rig->scenario->seed ^ (uint64_t)WORK_STREAM << 32);
    prng_seed(&rig->wake_prng, rig->scenario->seed ^ (uint64_t)WAKE_STREAM << 32);
    prng_seed(&rig->theft_prng, rig->scenario->seed ^ (uint64_t)THEFT_STREAM << 32);
    for (int i = 0; i < rig->processors_count; i++) {
        runqueue_init(&rig->queues[i], rig->scenario->speeds[i]);
        rig_theft_draw(rig, i, 0);
    }
    threads_begin(rig);
    hogs_begin(rig);
}

int rig_create(const struct scenario *scenario, const struct load_balancer *balancer,
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
    made->items = calloc((size_t)scenario->threads_count, sizeof(*made->items));
    made->theft_ns = calloc((size_t)made->processors_count, sizeof(*made->theft_ns));
    if (!made->tasks || !made->queues || !made->hogs || !made->items || !made->theft_ns) {
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
    free(rig->theft_ns);
    free(rig->items);
    free(rig->hogs);
    free(rig->queues);
    free(rig->tasks);
    free(rig);
}
