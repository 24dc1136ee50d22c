/* SPDX-License-Identifier: BSD-3-Clause */
/* The run time of a job's threads in a stretch of time, whether they are balanced or not. */
#ifndef JUGGLE_JUGGLED_STRETCH_H
#define JUGGLE_JUGGLED_STRETCH_H

#include "juggled/care/balancing.h"

struct stretch;

/* For the living threads that are balanced; they can be read after the end of the balancing.
 * -ENOMEM; -ESRCH: none lives. */
int stretch_create(const struct balancing *balancing, struct stretch **stretch) MUST_CHECK;
void stretch_destroy(struct stretch *stretch);

/* Begins a stretch. -ESRCH: a thread has ended; others as procfs_schedstat_read. */
int stretch_begin(struct stretch *stretch, int64_t now_ns) MUST_CHECK;

/* Ends the stretch: *rate is the share of it that the slowest thread ran, see worth_slowest.
 * Errors as stretch_begin; -ENODATA: no thread ran. */
int stretch_end(struct stretch *stretch, int64_t now_ns, double *rate) MUST_CHECK;

#endif
