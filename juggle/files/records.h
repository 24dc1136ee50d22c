/* SPDX-License-Identifier: BSD-3-Clause */
/* All recordings of a job, each if its output was asked for. */
#ifndef JUGGLE_RECORDS_H
#define JUGGLE_RECORDS_H

#include "juggle/files/output.h"
#include "libjuggle/job/job.h"

struct records {
    struct output *outputs;    /* open already; they remain the caller's */
    void *list[OUTPUTS_COUNT]; /* NULL: not asked for */
    int64_t flush_ns;          /* when the next flush is due */
};

/* Call it before job_start. */
int records_observe(struct records *records, struct job *job) MUST_CHECK;
void records_release(struct records *records);

/* Call it once the program runs: empties the files. Complains. */
void records_begin(struct records *records);

/* Call it at JOB_MACHINE_GROWN. */
void records_renew(struct records *records);

/* Writes buffered data if a flush is due. records_next_ns returns when the next one is due. */
void records_flush(struct records *records, int64_t now_ns);
int64_t records_next_ns(const struct records *records);

/* Finishes all, even if one fails. Returns the first error; complains about each. */
int records_finish(struct records *records, const char *program) MUST_CHECK;

#endif
