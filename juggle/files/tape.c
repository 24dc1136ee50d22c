/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaving. Events come from the engine's threads, one at a time under its lock; all else is
 * called by the thread that polls the job, and tape_renew when no engine runs. */
#include "juggle/files/tape.h"

#include "libjuggle/engine/recording.h"

#include <errno.h>
#include <stdlib.h>

enum { BUFFER_SIZE = 1 << 20 };

struct tape {
    FILE *file;
    const struct job *job;
    struct recording_writer *writer; /* NULL when the next could not begin */
    int error;                       /* of that */
};

static int writer_begin(struct tape *tape)
{
    return recording_writer_create(job_machine(tape->job), job_policy(tape->job), BUFFER_SIZE,
                                   tape->file, &tape->writer);
}

int tape_create(FILE *file, const struct job *job, struct tape **tape)
{
    struct tape *created = calloc(1, sizeof(*created));

    if (!created)
        return -ENOMEM;
    created->file = file;
    created->job = job;
    const int error = writer_begin(created);
    if (error) {
        free(created);
        return error;
    }
    *tape = created;
    return 0;
}

void tape_destroy(struct tape *tape)
{
    if (!tape)
        return;
    recording_writer_destroy(tape->writer);
    free(tape);
}

static void tape_record(void *context, const struct event *event, const struct plan *plan)
{
    const struct tape *tape = context;

    if (!tape->writer)
        return;
    const struct engine_recorder recorder = recording_writer_port(tape->writer);
    recorder.record(recorder.context, event, plan);
}

struct engine_recorder tape_port(struct tape *tape)
{
    return (struct engine_recorder){tape_record, tape};
}

void tape_flush(struct tape *tape)
{
    if (tape->writer)
        (void)!recording_writer_flush(tape->writer); /* told at the end */
}

static void writer_end(struct tape *tape)
{
    if (!tape->writer)
        return;
    tape->error = recording_writer_finish(tape->writer);
    recording_writer_destroy(tape->writer);
    tape->writer = NULL;
}

/* Nobody reads beyond a recording that is not whole. */
void tape_renew(struct tape *tape)
{
    writer_end(tape);
    if (!tape->error)
        tape->error = writer_begin(tape);
}

int tape_finish(struct tape *tape)
{
    writer_end(tape);
    return tape->error;
}
