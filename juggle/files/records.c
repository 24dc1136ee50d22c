/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/files/records.h"

#include "juggle/files/record.h"

/* The interval of flushing the buffers of trace and recording. */
#define FLUSH_INTERVAL_NS (250 * NSEC_PER_MSEC)

static const struct record_kind *const kinds[OUTPUTS_COUNT] = {
    [OUTPUT_RECORD] = &record_tape,
    [OUTPUT_TRACE] = &record_trace,
    [OUTPUT_PICTURE] = &record_drawing,
};

static void observe(void *context, const struct event *event, const struct plan *plan)
{
    const struct records *records = context;

    for (int i = 0; i < OUTPUTS_COUNT; i++)
        if (records->list[i])
            kinds[i]->observe(records->list[i], event, plan);
}

int records_observe(struct records *records, struct job *job)
{
    const struct engine_recorder observer = {observe, records};
    bool any = false;

    for (int i = 0; i < OUTPUTS_COUNT; i++) {
        if (!kinds[i] || !records->outputs[i].file)
            continue;
        const int error = kinds[i]->create(&records->outputs[i], job, &records->list[i]);
        if (error)
            return error;
        any = true;
    }
    if (any)
        job_observe(job, &observer);
    return 0;
}

void records_release(struct records *records)
{
    for (int i = 0; i < OUTPUTS_COUNT; i++)
        if (records->list[i])
            kinds[i]->destroy(records->list[i]);
}

/* Ignores errors: output_begin has complained, and the program runs all the same. */
void records_begin(struct records *records)
{
    for (int i = 0; i < OUTPUTS_COUNT; i++)
        if (records->list[i])
            (void)!output_begin(&records->outputs[i]);
}

void records_renew(struct records *records)
{
    for (int i = 0; i < OUTPUTS_COUNT; i++)
        if (records->list[i])
            kinds[i]->renew(records->list[i]);
}

static bool gathers(const struct records *records, int i)
{
    return records->list[i] && kinds[i]->flush;
}

void records_flush(struct records *records, int64_t now_ns)
{
    if (records_next_ns(records) > now_ns)
        return;
    records->flush_ns = now_ns + FLUSH_INTERVAL_NS;
    for (int i = 0; i < OUTPUTS_COUNT; i++)
        if (gathers(records, i))
            kinds[i]->flush(records->list[i]);
}

int64_t records_next_ns(const struct records *records)
{
    for (int i = 0; i < OUTPUTS_COUNT; i++)
        if (gathers(records, i))
            return records->flush_ns;
    return INT64_MAX;
}

int records_finish(struct records *records, const char *program)
{
    int first_error = 0;

    for (int i = 0; i < OUTPUTS_COUNT; i++) {
        if (!records->list[i])
            continue;
        int error = kinds[i]->finish(records->list[i], program);
        error = output_end(&records->outputs[i], error);
        first_error = first_error ? first_error : error;
    }
    return first_error;
}
