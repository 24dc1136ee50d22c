/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/files/records.h"

#include "cli/options.h"
#include "juggle/files/drawing.h"
#include "juggle/files/tape.h"
#include "juggle/files/trace.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/wish/wish.h"

#include <string.h>

/* How long turns may fill the buffers of trace and recording. */
#define FLUSH_INTERVAL_NS (250 * NSEC_PER_MSEC)

int records_open(struct outputs *outputs, const struct output_paths *paths, struct records *records)
{
    int error = 0;

    *records = (struct records){
        .outputs = outputs,
        .trace_path = paths->trace,
        .picture_path = paths->picture,
    };
    if (paths->trace)
        error = trace_create(paths->trace, outputs->trace.file, WISH_THREADS_MAX, &records->trace);
    if (error)
        complain("juggle", "cannot trace to '%s': %s", paths->trace, strerror(-error));
    return error;
}

void records_release(struct records *records)
{
    tape_destroy(records->tape);
    trace_destroy(records->trace);
    drawing_destroy(records->drawing);
}

static int observe(struct job *job, struct engine_recorder observer)
{
    return job_observe(job, &observer);
}

int records_observe(struct records *records, struct job *job)
{
    FILE *picture = records->outputs->picture.file, *record = records->outputs->record.file;
    int error = records->trace ? observe(job, trace_port(records->trace, job)) : 0;

    if (!error && picture)
        error = drawing_create(records->picture_path, picture, job, &records->drawing);
    if (!error && picture)
        error = observe(job, drawing_port(records->drawing));
    if (!error && record)
        error = tape_create(record, job, &records->tape);
    if (!error && record)
        error = observe(job, tape_port(records->tape));
    return error;
}

/* They have said what is wrong, and the program runs all the same. */
void records_begin(struct records *records)
{
    (void)!output_begin(&records->outputs->record);
    (void)!output_begin(&records->outputs->trace);
    (void)!output_begin(&records->outputs->picture);
}

void records_renew(struct records *records)
{
    if (records->trace)
        trace_renew(records->trace);
    if (records->tape)
        tape_renew(records->tape);
    if (records->drawing)
        drawing_renew(records->drawing);
}

void records_flush(struct records *records, int64_t now_ns)
{
    if (records_next_ns(records) > now_ns)
        return;
    records->flush_ns = now_ns + FLUSH_INTERVAL_NS;
    if (records->trace)
        trace_flush(records->trace);
    if (records->tape)
        tape_flush(records->tape);
}

int64_t records_next_ns(const struct records *records)
{
    return records->trace || records->tape ? records->flush_ns : INT64_MAX;
}

int records_finish(struct records *records, const char *program)
{
    struct outputs *outputs = records->outputs;
    int error = records->tape ? tape_finish(records->tape) : 0;
    int trace_error = records->trace ? trace_finish(records->trace, clock_now_ns()) : 0;
    int drawing_error = records->drawing ? drawing_finish(records->drawing, program) : 0;

    error = output_end(&outputs->record, error);
    trace_error = output_end(&outputs->trace, trace_error);
    drawing_error = output_end(&outputs->picture, drawing_error);
    return error ? error : trace_error ? trace_error : drawing_error;
}
