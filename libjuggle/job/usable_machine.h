/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the machine that a job may use, with the speeds of its processors. */
#ifndef JUGGLE_JOB_USABLE_MACHINE_H
#define JUGGLE_JOB_USABLE_MACHINE_H

#include "libjuggle/job/job.h"
#include "libjuggle/linux/capacity.h"

/* Loads it. In each domain, the processors with the fewest threads of other jobs come first. Errors
 * as of job_create(). sys_fd may be -1. */
int usable_machine_load(const struct job_options *options, int sys_fd, struct machine *machine,
                        struct capacity *capacity, char problem[JOB_PROBLEM_SIZE]) MUST_CHECK;

#endif
