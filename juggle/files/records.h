/* SPDX-License-Identifier: BSD-3-Clause */
/* All that is written of a job while it runs, each if its output is wanted. */
#ifndef JUGGLE_RECORDS_H
#define JUGGLE_RECORDS_H

#include "juggle/files/output.h"
#include "libjuggle/job/job.h"

struct records {
    struct output *outputs;    /* open already; they stay the caller's */
    void *list[OUTPUTS_COUNT]; /* NULL: not wanted */
    int64_t flush_ns;          /* when next */
};

/* Before job_start. */
int records_observe(struct records *records, struct job *job) MUST_CHECK;
void records_release(struct records *records);

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
