/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of one machine. Internal to parts.c, beside what parts.h tells of them. */
#ifndef JUGGLE_JOB_MACHINE_PARTS_H
#define JUGGLE_JOB_MACHINE_PARTS_H

#include "libjuggle/job/parts.h"

/* The machine, which others need to be built; and what is built when those are. As parts_create. */
int machine_parts_read(struct parts *parts, const struct job_options *options,
                       char *problem) MUST_CHECK;
int machine_parts_create(struct parts *parts, const struct job_options *options,
                         char *problem) MUST_CHECK;

/* The world restores the masks; what there is to tell stays. */
void machine_parts_release(struct parts *parts);
void machine_parts_destroy(struct parts *parts);

#endif
