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
    const char *separator; /* between JSON events */
};

/* ---- rank 0 -------------------------------------------------------------------------------- */

static void write_csv(struct trace_writer *writer, int rank, const struct activity_event *events,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(writer->file, "%" PRId64 ",%d,%" PRIu32 ",%s\n", events[i].time_ns, rank,
                events[i].worker, activity_name(events[i].state));
}

/* A state lasts until the worker's next event. Times are in microseconds, with a point whatever the
 * program's locale has. */
static void write_json(struct trace_writer *writer, int rank, const struct activity_event *events,
                       size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        const int64_t begin_ns = events[i].time_ns, span_ns = events[i + 1].time_ns - begin_ns;

        if (events[i].state == STEAL_STATE_COUNT || events[i].worker != events[i + 1].worker)
            continue;
        fprintf(writer->file,
                "%s\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%" PRIu32 ",\"ts\":%" PRId64
                ".%03" PRId64 ",\"dur\":%" PRId64 ".%03" PRId64 "}",
                writer->separator, activity_name(events[i].state), rank, events[i].worker,
                begin_ns / NSEC_PER_USEC, begin_ns % NSEC_PER_USEC, span_ns / NSEC_PER_USEC,
                span_ns % NSEC_PER_USEC);
        writer->separator = ",";
    }
}

static int writer_take(void *context, int rank, const void *data, size_t size)
{
    struct trace_writer *writer = context;
    size_t count = size / sizeof(struct activity_event);

    if (writer->json)
        write_json(writer, rank, data, count);
    else
        write_csv(writer, rank, data, count);
    return 0;
}

static int writer_open(struct trace_writer *writer, struct steal_runtime *runtime, const char *path)
{
    const char *suffix = strrchr(path, '.');

    writer->json = suffix && strcmp(suffix, ".json") == 0;
    writer->separator = "";
    writer->file = fopen(path, "w");
    if (!writer->file)
        return runtime_fail(runtime, -errno, "%s: %s", path, strerror(errno));
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
        error = EIO;
    if (fclose(writer->file) != 0)
        error = errno;
    return error ? runtime_fail(runtime, -error, "%s: %s", path, strerror(error)) : 0;
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
    struct transport *transport = runtime->transport;
    result = ranks_meet(runtime, CALL_TRACE_WRITE, 0, runtime_need_path(runtime, path, "path"));
    if (result < 0)
        return result;
    if (runtime->options.trace_events == 0)
        return runtime_fail(runtime, -EINVAL, "the runtime was created without trace_events");
    result = trace_gather(runtime, &events, &count);
    if (result == 0 && transport->rank == 0)
        result = writer_open(&writer, runtime, path);
    result = ranks_share(runtime, result);
    if (result == 0)
        result = transport->ops->collect(transport, events, count * sizeof(*events), writer_take,
                                         &writer);
    if (writer.file) {
        int closed = writer_close(&writer, runtime, path);

        result = result < 0 ? result : closed;
    }
    free(events);
    return ranks_share(runtime, result);
}
