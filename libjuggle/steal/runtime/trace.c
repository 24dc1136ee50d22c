/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing the traces of all ranks: as a table, or for Chrome and Perfetto. */
#include "libjuggle/steal/runtime/agreement.h"
#include "libjuggle/steal/runtime/rank.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace_writer {
    FILE *file;
    bool json;
    const char *separator;       /* between JSON events */
    int rank;                    /* of the latest event; -1: there was none */
    struct activity_event event; /* the latest */
};

/* ---- rank 0 -------------------------------------------------------------------------------- */

/* Times are in microseconds, with a decimal point whatever the program's locale has. */
static void write_span(struct trace_writer *writer, int64_t end_ns)
{
    const struct activity_event *event = &writer->event;
    const int64_t span_ns = end_ns - event->time_ns;

    fprintf(writer->file,
            "%s\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%" PRIu32 ",\"ts\":%" PRId64
            ".%03" PRId64 ",\"dur\":%" PRId64 ".%03" PRId64 "}",
            writer->separator, activity_name(event->state), writer->rank, event->worker,
            event->time_ns / NSEC_PER_USEC, event->time_ns % NSEC_PER_USEC, span_ns / NSEC_PER_USEC,
            span_ns % NSEC_PER_USEC);
    writer->separator = ",";
}

/* Writes a line of the table, or in JSON the span from the worker's previous event to this one. */
static void write_event(struct trace_writer *writer, int rank, const struct activity_event *event)
{
    const struct activity_event *before = &writer->event;

    if (!writer->json)
        fprintf(writer->file, "%" PRId64 ",%d,%" PRIu32 ",%s\n", event->time_ns, rank,
                event->worker, activity_name(event->state));
    else if (writer->rank == rank && before->worker == event->worker &&
             before->state != STEAL_STATE_COUNT)
        write_span(writer, event->time_ns);
    writer->rank = rank;
    writer->event = *event;
}

static int writer_take(void *context, int rank, const void *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_event(context, rank, (const struct activity_event *)events + i);
    return 0;
}

static int writer_open(struct trace_writer *writer, struct steal_runtime *runtime, const char *path)
{
    const char *suffix = strrchr(path, '.');

    writer->json = suffix && strcmp(suffix, ".json") == 0;
    writer->separator = "";
    writer->rank = -1;
    writer->file = fopen(path, "w");
    if (!writer->file)
        return runtime_fail_path(runtime, -errno, path);
    fputs(writer->json ? "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["
                       : "time_ns,rank,worker,state\n",
          writer->file);
    return 0;
}

static int writer_close(struct trace_writer *writer, struct steal_runtime *runtime,
                        const char *path)
{
    int error = 0;

    if (writer->json)
        fputs("\n]}\n", writer->file);
    if (ferror(writer->file))
        error = -EIO;
    if (fclose(writer->file) != 0)
        error = -errno;
    return error < 0 ? runtime_fail_path(runtime, error, path) : 0;
}

/* ---- every rank ---------------------------------------------------------------------------- */

static int trace_gather(struct steal_runtime *runtime, struct activity_event **out, size_t *count)
{
    int workers = runtime->workers + (runtime->team != NULL);
    struct activity_event *events = calloc((size_t)workers * runtime->options.trace_events,
                                           sizeof(*events));
    size_t gathered = 0;

    if (!events)
        return runtime_fail(runtime, -ENOMEM, "no memory to gather the trace");
    for (int i = 0; i < workers; i++)
        gathered += activity_copy(&runtime->worker[i].activity.trace, runtime->begin_ns,
                                  events + gathered);
    *out = events;
    *count = gathered;
    return 0;
}

int steal_trace_write(struct steal_runtime *runtime, const char *path)
{
    struct trace_writer writer = {0};
    struct activity_event *events = NULL;
    size_t count = 0;
    int result;

    if (!runtime)
        return -EINVAL;
    result = ranks_meet(runtime, CALL_TRACE_WRITE, 0, runtime_need_path(runtime, path, "path"));
    if (result < 0)
        return result;
    if (runtime->options.trace_events == 0)
        return runtime_fail(runtime, -EINVAL, "the runtime was created without trace_events");
    result = trace_gather(runtime, &events, &count);
    if (result == 0 && steal_rank(runtime) == 0)
        result = writer_open(&writer, runtime, path);
    result = ranks_share_failure(runtime, result);
    if (result == 0)
        result = ranks_collect(runtime, events, count, sizeof(*events), writer_take, &writer);
    if (writer.file) {
        int closed = writer_close(&writer, runtime, path);

        result = result < 0 ? result : closed;
    }
    free(events);
    return ranks_share_failure(runtime, result);
}
