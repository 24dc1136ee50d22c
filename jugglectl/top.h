/* SPDX-License-Identifier: BSD-3-Clause */
/* jugglectl top: the live view of a job, from what the service streams. */
#ifndef JUGGLECTL_TOP_H
#define JUGGLECTL_TOP_H

#include "jugglectl/asking.h"

/* Runs until the job ends, the user types q, or a signal arrives. Complains; returns the exit
 * status. */
int top_run(struct context *context, const char *job);

#endif
