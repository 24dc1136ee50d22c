/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/files/record.h"
#include "libjuggle/engine/recording.h"

#include <errno.h>
#include <stdlib.h>

enum { BUFFER_SIZE = 1 << 20 };

struct tape {
    FILE *file;
    const struct job *job;
    struct recording_writer *writer; /* NULL if the next recording could not begin */
    int error;                       /* of beginning or finishing a recording */
};

static int writer_begin(struct tape *tape)
{
    return recording_writer_create(job_machine(tape->job), job_policy(tape->job), BUFFER_SIZE,
                                   tape->file, &tape->writer);
}

static int create(const struct output *output, const struct job *job, void **record)
{
    struct tape *tape = calloc(1, sizeof(*tape));

    if (!tape)
        return -ENOMEM;
    tape->file = output->file;
    tape->job = job;
    const int error = writer_begin(tape);
    if (error) {
        free(tape);
        return error;
    }
    *record = tape;
    return 0;
}

static void destroy(void *record)
{
    struct tape *tape = record;

    recording_writer_destroy(tape->writer);
    free(tape);
}

static void observe(void *record, const struct event *event, const struct plan *plan)
{
    const struct tape *tape = record;

    if (!tape->writer)
        return;
    const struct engine_recorder recorder = recording_writer_port(tape->writer);
    recorder.record(recorder.context, event, plan);
}

static void flush(void *record)
{
    const struct tape *tape = record;

    if (tape->writer)
        (void)!recording_writer_flush(tape->writer); /* finish reports the error */
}

static void writer_end(struct tape *tape)
{
    if (!tape->writer)
        return;
    tape->error = recording_writer_finish(tape->writer);
    recording_writer_destroy(tape->writer);
    tape->writer = NULL;
}

/* Begins the next recording, unless the last one is incomplete: readers stop there. */
static void renew(void *record)
{
    struct tape *tape = record;

    writer_end(tape);
    if (!tape->error)
        tape->error = writer_begin(tape);
}

static int finish(void *record, const char *program)
{
    struct tape *tape = record;

    (void)program;
    writer_end(tape);
    return tape->error;
}

const struct record_kind record_tape = {create, observe, flush, renew, finish, destroy};
