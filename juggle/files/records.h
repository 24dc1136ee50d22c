/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written of a job while it runs: its recording, its trace and its picture, each if
 * wanted. */
#ifndef JUGGLE_RECORDS_H
#define JUGGLE_RECORDS_H

#include "juggle/files/outputs.h"
#include "libjuggle/job/job.h"

struct records {
    struct outputs *outputs;
    const char *trace_path, *picture_path; /* NULL: not wanted */
    struct tape *tape;
    struct trace *trace;
    struct drawing *drawing;
    int64_t flush_ns; /* when next */
};

/* In place, all zero before. The files are open already, and stay the caller's, as do the paths.
 * Complains when it fails. */
int records_open(struct outputs *outputs, const struct output_paths *paths,
                 struct records *records) MUST_CHECK;
void records_release(struct records *records);

/* Before job_start. */
int records_observe(struct records *records, struct job *job) MUST_CHECK;

/* The program runs: what the files held before is of no use any more. Complains. */
void records_begin(struct records *records);

/* At JOB_MACHINE_GROWN. */
void records_renew(struct records *records);

/* Writes what has gathered, if it is time; and when that is next. */
void records_flush(struct records *records, int64_t now_ns);
int64_t records_next_ns(const struct records *records);

/* All are written whatever becomes of the others; the first error counts, and is complained
 * about. */
int records_finish(struct records *records, const char *program) MUST_CHECK;

#endif
