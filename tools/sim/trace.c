/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/trace.h"

#include <inttypes.h>

/* Prints the name of a thread ("T0") or of a hog ("H0"). */
static void print_task(FILE *file, const struct rig *rig, int task)
{
    const int threads_count = rig_scenario(rig)->threads_count;

    if (task < threads_count)
        fprintf(file, "T%d", task);
    else
        fprintf(file, "H%d", task - threads_count);
}

/* Prints the tasks of the queue that wait at a barrier, or the others: "T0 T3 H1". */
static void print_tasks(FILE *file, const struct rig *rig, int processor, bool waiting)
{
    const char *separator = "";

    for (int i = rig_queue(rig, processor)->first; i != TASK_NONE; i = rig_task(rig, i)->next) {
        if ((rig_task(rig, i)->state != TASK_COMPUTING) != waiting)
            continue;
        fputs(separator, file);
        print_task(file, rig, i);
        separator = " ";
    }
}

static void span(void *context, const struct rig *rig, int processor, int64_t from_ns)
{
    FILE *file = context;

    if (rig_queue(rig, processor)->count == 0)
        return;
    fprintf(file, "span,%" PRId64 ",%" PRId64 ",%d,", from_ns, rig_now_ns(rig), processor);
    print_tasks(file, rig, processor, false);
    fputc(',', file);
    print_tasks(file, rig, processor, true);
    fputc('\n', file);
}

static void moved(void *context, const struct rig *rig, int task, int from, int to)
{
    FILE *file = context;

    fprintf(file, "move,%" PRId64 ",,%d,", rig_now_ns(rig), to);
    print_task(file, rig, task);
    fprintf(file, ",%d\n", from);
}

static void phase_done(void *context, const struct rig *rig, int phase)
{
    fprintf(context, "phase,%" PRId64 ",,,%d,\n", rig_now_ns(rig), phase);
}

struct rig_observer trace_begin(FILE *file)
{
    fputs("event,start_ns,end_ns,processor,tasks,waiting_or_from\n", file);
    return (struct rig_observer){
        .context = file,
        .span = span,
        .moved = moved,
        .phase_done = phase_done,
    };
}
