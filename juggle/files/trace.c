/* SPDX-License-Identifier: BSD-3-Clause */
/* Concurrency. The observer runs in balancer threads, one at a time under the engine's lock, and
 * only copies: only it uses `stays`. Ended stays go to the batch `filling`; `flush` swaps the
 * two batches under the lock and writes the other one without the lock. */
#include "juggle/files/record.h"

#include "cli/foreign.h"
#include "cli/suffix.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_MAX = 16384, /* stays between two flushes */
};

/* A thread's stay on a processor. */
struct stay {
    struct job_thread thread;
    int processor; /* -1: the thread is on no processor */
    int previous;  /* the processor that it returns to if the move fails */
    int cpu;       /* the kernel's number of the processor */
    int64_t start_ns, end_ns;
    int64_t run_start_ns, run_ns; /* the thread's total run time at the start, and as last seen */
};

struct batch {
    int count;
    struct stay stays[BATCH_MAX];
};

struct trace;

struct format {
    void (*begin)(struct trace *trace);
    void (*machine)(struct trace *trace); /* writes the machine's processors; may be NULL */
    void (*stay)(struct trace *trace, const struct stay *stay);
    void (*end)(struct trace *trace); /* may be NULL */
};

struct trace {
    FILE *file;
    const struct format *format;
    const struct job *job;
    bool begun;
    const char *separator; /* written before the next element */
    int64_t start_ns;      /* start of the first stay: time 0 of the trace */

    pthread_mutex_t lock; /* protects filling and lost_count */
    struct batch *filling, *writing;
    int64_t lost_count;

    int threads_max;
    struct stay stays[]; /* the current stay of each thread */
};

/* ---- observing ---- */

static void stay_end(struct trace *trace, struct stay *stay, int64_t now_ns)
{
    if (stay->processor < 0)
        return;
    stay->end_ns = now_ns;
    pthread_mutex_lock(&trace->lock);
    if (trace->filling->count < BATCH_MAX)
        trace->filling->stays[trace->filling->count++] = *stay;
    else
        trace->lost_count++;
    pthread_mutex_unlock(&trace->lock);
    stay->processor = -1;
}

/* Looks up the processor's number now, because the machine may be another one by the time the
 * stay ends. */
static void stay_settle(const struct trace *trace, struct stay *stay, int processor)
{
    stay->processor = processor;
    if (processor >= 0)
        stay->cpu = job_machine(trace->job)->processors[processor].os_index;
}

static void stay_begin(const struct trace *trace, struct stay *stay, const struct move *move,
                       int64_t now_ns)
{
    stay_settle(trace, stay, move->to);
    stay->previous = move->from;
    stay->start_ns = now_ns;
    stay->run_start_ns = stay->run_ns;
}

static void observe_event(struct trace *trace, const struct event *event)
{
    struct stay *subject = &trace->stays[event->subject >= 0 ? event->subject : 0];

    for (int i = 0; i < event->samples_count; i++)
        trace->stays[event->samples[i].thread].run_ns = event->samples[i].run_ns;
    switch (event->type) {
    case EVENT_THREAD_ARRIVED:
        subject->processor = -1;
        (void)!job_engine_thread(trace->job, event->subject, &subject->thread);
        break;
    case EVENT_THREAD_EXITED:
        stay_end(trace, subject, event->now_ns);
        break;
    case EVENT_MOVE_FAILED:
        stay_settle(trace, subject, subject->previous);
        break;
    case EVENT_START:
    case EVENT_PERIOD:
    case EVENT_PROCESSOR_LOST:
    case EVENT_PROCESSOR_FOUND:
    case EVENT_SPINNING:
    case EVENT_SHORT_PHASES:
    case EVENT_TYPES_COUNT:
        break;
    }
}

static void observe(void *record, const struct event *event, const struct plan *plan)
{
    struct trace *trace = record;

    observe_event(trace, event);
    for (int i = 0; i < plan->moves_count; i++) {
        const struct move *move = &plan->moves[i];
        struct stay *stay = &trace->stays[move->thread];
        if (stay->processor == move->to)
            continue; /* the move changes only its mask */
        stay_end(trace, stay, event->now_ns);
        stay_begin(trace, stay, move, event->now_ns);
    }
}

/* ---- formats ---- */

static double micros(int64_t duration_ns)
{
    return (double)duration_ns / (double)NSEC_PER_USEC;
}

/* Replaces characters with a special meaning in the file by question marks. */
static const char *name_of(const struct stay *stay, const char *special,
                           char name[FOREIGN_COMM_SIZE])
{
    foreign_text(stay->thread.comm.untrusted, name, FOREIGN_COMM_SIZE);
    for (char *byte = name; *(byte += strcspn(byte, special));)
        *byte = '?';
    return name;
}

static void json_begin(struct trace *trace)
{
    fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n", trace->file);
    trace->separator = "";
}

static void json_machine(struct trace *trace)
{
    const struct machine *machine = job_machine(trace->job);

    for (int i = 0; i < machine->processors_count; i++) {
        fprintf(trace->file,
                "%s{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %d, "
                "\"args\": {\"name\": \"cpu %d, domain %d\"}}",
                trace->separator, machine->processors[i].os_index, machine->processors[i].os_index,
                machine->processors[i].domain);
        trace->separator = ",\n";
    }
}

static void json_stay(struct trace *trace, const struct stay *stay)
{
    char name[FOREIGN_COMM_SIZE];

    fprintf(trace->file,
            ",\n{\"ph\": \"X\", \"name\": \"%s %d\", \"pid\": %d, \"tid\": %d, \"ts\": %.3f, "
            "\"dur\": %.3f, \"args\": {\"process\": %d, \"run_us\": %.3f}}",
            name_of(stay, "\"\\", name), (int)stay->thread.tid, stay->cpu, (int)stay->thread.tid,
            micros(stay->start_ns - trace->start_ns), micros(stay->end_ns - stay->start_ns),
            (int)stay->thread.pid, micros(stay->run_ns - stay->run_start_ns));
}

static void json_end(struct trace *trace)
{
    fputs("\n]}\n", trace->file);
}

static void csv_begin(struct trace *trace)
{
    fputs("cpu,pid,tid,comm,start_ns,end_ns,run_ns\n", trace->file);
}

static void csv_stay(struct trace *trace, const struct stay *stay)
{
    char name[FOREIGN_COMM_SIZE];

    fprintf(trace->file, "%d,%d,%d,%s,%lld,%lld,%lld\n", stay->cpu, (int)stay->thread.pid,
            (int)stay->thread.tid, name_of(stay, "\",", name),
            (long long)(stay->start_ns - trace->start_ns),
            (long long)(stay->end_ns - trace->start_ns),
            (long long)(stay->run_ns - stay->run_start_ns));
}

static const struct {
    const char *suffix;
    struct format format;
} formats[] = {
    {".json", {json_begin, json_machine, json_stay, json_end}},
    {".csv", {csv_begin, NULL, csv_stay, NULL}},
};

static const struct format *format_find(const char *path)
{
    for (size_t i = 0; i < ARRAY_COUNT(formats); i++)
        if (has_suffix(path, formats[i].suffix))
            return &formats[i].format;
    return NULL;
}

bool trace_knows(const char *path)
{
    return format_find(path) != NULL;
}

/* ---- writing ---- */

static void machine_write(struct trace *trace)
{
    if (trace->format->machine)
        trace->format->machine(trace);
}

static void begin(struct trace *trace, int64_t start_ns)
{
    trace->begun = true;
    trace->start_ns = start_ns;
    trace->format->begin(trace);
    machine_write(trace);
}

static void flush(void *record)
{
    struct trace *trace = record;

    pthread_mutex_lock(&trace->lock);
    struct batch *full = trace->filling;
    trace->filling = trace->writing;
    trace->writing = full;
    pthread_mutex_unlock(&trace->lock);

    if (full->count && !trace->begun)
        begin(trace, full->stays[0].start_ns);
    for (int i = 0; i < full->count; i++)
        trace->format->stay(trace, &full->stays[i]);
    full->count = 0;
}

static void renew(void *record)
{
    struct trace *trace = record;

    if (trace->begun)
        machine_write(trace);
}

/* Ends the current stays and writes everything. */
static int finish(void *record, const char *program)
{
    struct trace *trace = record;
    const int64_t now_ns = clock_now_ns();

    (void)program;
    for (int thread = 0; thread < trace->threads_max; thread++)
        stay_end(trace, &trace->stays[thread], now_ns);
    flush(trace);
    if (!trace->begun)
        begin(trace, now_ns);
    if (trace->format->end)
        trace->format->end(trace);
    return trace->lost_count ? -ENOBUFS : 0;
}

/* ---- create, destroy ---- */

static void destroy(void *record)
{
    struct trace *trace = record;

    free(trace->filling);
    free(trace->writing);
    pthread_mutex_destroy(&trace->lock);
    free(trace);
}

static int create(const struct output *output, const struct job *job, void **record)
{
    const int threads_max = job_policy(job)->threads_max;
    struct trace *trace = calloc(1, sizeof(*trace) + (size_t)threads_max * sizeof(trace->stays[0]));

    if (!trace)
        return -ENOMEM;
    pthread_mutex_init(&trace->lock, NULL);
    trace->file = output->file;
    trace->format = format_find(output->path);
    trace->job = job;
    trace->threads_max = threads_max;
    for (int thread = 0; thread < threads_max; thread++)
        trace->stays[thread].processor = -1;
    trace->filling = malloc(sizeof(*trace->filling));
    trace->writing = malloc(sizeof(*trace->writing));
    if (!trace->filling || !trace->writing) {
        destroy(trace);
        return -ENOMEM;
    }
    trace->filling->count = trace->writing->count = 0;
    *record = trace;
    return 0;
}

const struct record_kind record_trace = {create, observe, flush, renew, finish, destroy};
