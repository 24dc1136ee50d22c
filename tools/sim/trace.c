/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/sim/trace.h"

#include "cli/suffix.h"

#include <errno.h>
#include <inttypes.h>

#define NSEC_PER_TRACE_UNIT ((double)NSEC_PER_USEC) /* the JSON format counts microseconds */

int trace_format_of(const char *path, enum trace_format *format)
{
    if (has_suffix(path, ".csv"))
        *format = TRACE_CSV;
    else if (has_suffix(path, ".json"))
        *format = TRACE_JSON;
    else
        return -EINVAL;
    return 0;
}

/* Begins the next event of the JSON array. */
static void event_begin(struct sim_trace *trace, const char *phase, int processor)
{
    fprintf(trace->file, "%s\n{\"ph\": \"%s\", \"pid\": 0, \"tid\": %d", trace->begun ? "," : "",
            phase, processor);
    trace->begun = true;
}

/* A thread or a hog. */
static void print_task(FILE *file, const struct rig *rig, int task)
{
    const int threads_count = rig_scenario(rig)->threads_count;

    if (task < threads_count)
        fprintf(file, "T%d", task);
    else
        fprintf(file, "H%d", task - threads_count);
}

/* The queue's tasks that wait at a barrier, or those that do not: "T0 T3 H1". */
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

static void span_csv(struct sim_trace *trace, const struct rig *rig, int processor, int64_t from_ns)
{
    fprintf(trace->file, "span,%" PRId64 ",%" PRId64 ",%d,", from_ns, rig_now_ns(rig), processor);
    print_tasks(trace->file, rig, processor, false);
    fputc(',', trace->file);
    print_tasks(trace->file, rig, processor, true);
    fputc('\n', trace->file);
}

static void span_json(struct sim_trace *trace, const struct rig *rig, int processor,
                      int64_t from_ns)
{
    event_begin(trace, "X", processor);
    fprintf(trace->file, ", \"ts\": %.3f, \"dur\": %.3f, \"name\": \"",
            (double)from_ns / NSEC_PER_TRACE_UNIT,
            (double)(rig_now_ns(rig) - from_ns) / NSEC_PER_TRACE_UNIT);
    print_tasks(trace->file, rig, processor, false);
    fputs("\", \"args\": {\"waiting\": \"", trace->file);
    print_tasks(trace->file, rig, processor, true);
    fputs("\"}}", trace->file);
}

static void span(void *context, const struct rig *rig, int processor, int64_t from_ns)
{
    struct sim_trace *trace = context;

    if (rig_queue(rig, processor)->count == 0)
        return;
    switch (trace->format) {
    case TRACE_CSV:
        span_csv(trace, rig, processor, from_ns);
        break;
    case TRACE_JSON:
        span_json(trace, rig, processor, from_ns);
        break;
    }
}

static void moved(void *context, const struct rig *rig, int task, int from, int to)
{
    struct sim_trace *trace = context;

    switch (trace->format) {
    case TRACE_CSV:
        fprintf(trace->file, "move,%" PRId64 ",,%d,", rig_now_ns(rig), to);
        print_task(trace->file, rig, task);
        fprintf(trace->file, ",%d\n", from);
        break;
    case TRACE_JSON:
        event_begin(trace, "i", to);
        fprintf(trace->file, ", \"s\": \"t\", \"ts\": %.3f, \"name\": \"",
                (double)rig_now_ns(rig) / NSEC_PER_TRACE_UNIT);
        print_task(trace->file, rig, task);
        fprintf(trace->file, " from P%d\"}", from);
        break;
    }
}

static void phase_done(void *context, const struct rig *rig, int phase)
{
    struct sim_trace *trace = context;

    switch (trace->format) {
    case TRACE_CSV:
        fprintf(trace->file, "phase,%" PRId64 ",,,%d,\n", rig_now_ns(rig), phase);
        break;
    case TRACE_JSON:
        event_begin(trace, "i", 0);
        fprintf(trace->file, ", \"s\": \"g\", \"ts\": %.3f, \"name\": \"phase %d done\"}",
                (double)rig_now_ns(rig) / NSEC_PER_TRACE_UNIT, phase);
        break;
    }
}

struct rig_observer trace_observer(struct sim_trace *trace)
{
    return (struct rig_observer){
        .context = trace,
        .span = span,
        .moved = moved,
        .phase_done = phase_done,
    };
}

void trace_begin(struct sim_trace *trace, const struct scenario *scenario, enum trace_format format,
                 FILE *file)
{
    *trace = (struct sim_trace){.file = file, .format = format};
    switch (format) {
    case TRACE_CSV:
        fputs("event,start_ns,end_ns,processor,tasks,waiting_or_from\n", file);
        break;
    case TRACE_JSON:
        fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [", file);
        for (int i = 0; i < scenario->machine.processors_count; i++) {
            event_begin(trace, "M", i);
            fprintf(file, ", \"name\": \"thread_name\", \"args\": {\"name\": \"P%d\"}}", i);
        }
        break;
    }
}

int trace_end(struct sim_trace *trace)
{
    if (trace->format == TRACE_JSON)
        fputs("\n]}\n", trace->file);
    return fflush(trace->file) || ferror(trace->file) ? -EIO : 0;
}
