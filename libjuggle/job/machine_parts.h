/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts that belong to one machine, beside what parts.h tells of them. Internal to parts.c. */
#ifndef JUGGLE_JOB_MACHINE_PARTS_H
#define JUGGLE_JOB_MACHINE_PARTS_H

#include "libjuggle/job/parts.h"

/* machine_parts_read() reads the machine, from which other parts are built. machine_parts_create()
 * builds the rest when those are there. Errors as of parts_create(). */
int machine_parts_read(struct parts *parts, const struct job_options *options,
                       char *problem) MUST_CHECK;
int machine_parts_create(struct parts *parts, const struct job_options *options,
                         char *problem) MUST_CHECK;

/* Ends the balancing; the world restores the masks. What is needed for reports stays. */
void machine_parts_release(struct parts *parts);
void machine_parts_destroy(struct parts *parts);

#endif
