/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture of a run, drawn when it has ended. */
#ifndef JUGGLE_DRAWING_H
#define JUGGLE_DRAWING_H

#include "libjuggle/job/job.h"

#include <stdio.h>

struct drawing;

/* Path and file stay the caller's; the path's end chooses SVG or text. -ENOMEM. */
int drawing_create(const char *path, FILE *file, const struct job *job,
                   struct drawing **drawing) MUST_CHECK;
void drawing_destroy(struct drawing *drawing);

struct engine_recorder drawing_port(struct drawing *drawing);

/* At JOB_MACHINE_GROWN. */
void drawing_renew(struct drawing *drawing);

/* When nothing is observed any more. -errno: it could not be written whole. */
int drawing_finish(struct drawing *drawing, const char *program) MUST_CHECK;

#endif
