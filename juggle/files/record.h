/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written of a job while it runs, to a file each: its recording, its trace and its picture.
 *
 * Events come from the engine's threads, one at a time under its lock; all else is called by the
 * thread that polls the job, `renew` when no engine runs and `finish` when the job has ended. */
#ifndef JUGGLE_RECORD_H
#define JUGGLE_RECORD_H

#include "juggle/files/output.h"
#include "libjuggle/job/job.h"

struct record_kind {
    /* The output stays the caller's, as the job does. -ENOMEM; -errno of writing. */
    int (*create)(const struct output *output, const struct job *job, void **record) MUST_CHECK;
    void (*observe)(void *record, const struct event *event, const struct plan *plan);
    void (*flush)(void *record); /* writes what has gathered; NULL: nothing gathers */
    void (*renew)(void *record); /* at JOB_MACHINE_GROWN */
    /* -errno: it could not be written whole. */
    int (*finish)(void *record, const char *program) MUST_CHECK;
    void (*destroy)(void *record);
};

/* For juggle-sim to replay: one recording after the other, where the machine has become another. */
extern const struct record_kind record_tape;

/* Where threads were placed, and when: a trace for chrome://tracing and Perfetto, or CSV.
 *
 * One track per processor, which holds a row for each thread that was ever placed there; a slice is
 * one stay of a thread. Fails with -ENOBUFS if stays were lost, because flushes were too far
 * apart. */
extern const struct record_kind record_trace;

/* True for a path that ends in .json or .csv, which chooses the trace's format. */
bool trace_knows(const char *path);

/* The picture of a run, drawn when it has ended; the path's end chooses SVG or text. */
extern const struct record_kind record_drawing;

#endif
