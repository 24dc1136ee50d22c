/* SPDX-License-Identifier: BSD-3-Clause */
/* Where threads were placed, and when: a trace for chrome://tracing and Perfetto, or CSV.
 *
 * One track per processor, which holds a row for each thread that was ever placed there; a slice is
 * one stay of a thread. */
#ifndef JUGGLE_TRACE_H
#define JUGGLE_TRACE_H

#include "libjuggle/job/job.h"

#include <stdio.h>

struct trace;

/* True for a path that ends in .json or .csv, which chooses the format. */
bool trace_knows(const char *path);

/* The format is that of the path; the file stays the caller's. -ENOMEM. */
int trace_create(const char *path, FILE *file, int threads_max, struct trace **trace) MUST_CHECK;

/* What it sees from now on is this job's. */
struct engine_recorder trace_port(struct trace *trace, const struct job *job);

/* Writes what has gathered; from time to time, by the thread that polls the job. */
void trace_flush(struct trace *trace);

/* At JOB_MACHINE_GROWN. */
void trace_renew(struct trace *trace);

/* When nothing is observed any more: ends the stays that still go on, and the file. -errno: it
 * could not be written whole; -ENOBUFS: stays were lost, because flushes were too far apart. */
int trace_finish(struct trace *trace, int64_t now_ns) MUST_CHECK;

void trace_destroy(struct trace *trace);

#endif
