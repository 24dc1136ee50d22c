/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that are written while a job runs: its recording, its trace and its picture.
 *
 * Events come from the engine's threads, one at a time under the engine's lock. The thread that
 * polls the job calls all other functions, `renew` while no engine runs and `finish` when the
 * job has ended. */
#ifndef JUGGLE_RECORD_H
#define JUGGLE_RECORD_H

#include "juggle/files/output.h"
#include "libjuggle/job/job.h"

struct record_kind {
    /* The output and the job remain the caller's. -ENOMEM; -errno of writing. */
    int (*create)(const struct output *output, const struct job *job, void **record) MUST_CHECK;
    void (*observe)(void *record, const struct event *event, const struct plan *plan);
    void (*flush)(void *record); /* writes buffered data; NULL: nothing is buffered */
    void (*renew)(void *record); /* called at JOB_MACHINE_GROWN */
    /* -errno if it is not complete. The caller sees whether it could be written. */
    int (*finish)(void *record, const char *program) MUST_CHECK;
    void (*destroy)(void *record);
};

/* A recording for juggle-sim to replay. When the machine changes, another recording follows in
 * the same file. */
extern const struct record_kind record_tape;

/* Where threads were placed, and when: a trace for chrome://tracing and Perfetto, or CSV.
 *
 * There is one track per processor, with a row for each thread that was ever placed there. A
 * slice is one stay of a thread. `finish` fails with -ENOBUFS if stays were lost because flushes
 * were too far apart. */
extern const struct record_kind record_trace;

/* True for a path that ends in .json or .csv, which chooses the trace's format. */
bool trace_knows(const char *path);

/* The picture of a run, drawn when it has ended; the path's end chooses SVG or text. */
extern const struct record_kind record_drawing;

#endif
