/* SPDX-License-Identifier: BSD-3-Clause */
/* A job's recording on its file: one after the other, where its machine has become another. */
#ifndef JUGGLE_TAPE_H
#define JUGGLE_TAPE_H

#include "libjuggle/job/job.h"

#include <stdio.h>

struct tape;

/* Begins the first recording; the file stays the caller's. -ENOMEM; -errno of writing. */
int tape_create(FILE *file, const struct job *job, struct tape **tape) MUST_CHECK;
void tape_destroy(struct tape *tape);

/* What job_observe wants. */
struct engine_recorder tape_port(struct tape *tape);

/* Writes what has gathered; from time to time, by the thread that polls the job. */
void tape_flush(struct tape *tape);

/* At JOB_MACHINE_GROWN: ends the recording, and begins the next. */
void tape_renew(struct tape *tape);

/* When nothing is recorded any more: the first error that there was, see
 * recording_writer_finish. */
int tape_finish(struct tape *tape) MUST_CHECK;

#endif
