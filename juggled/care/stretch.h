/* SPDX-License-Identifier: BSD-3-Clause */
/* What the threads of a job run in a stretch of time, whether they are balanced or not. */
#ifndef JUGGLE_JUGGLED_STRETCH_H
#define JUGGLE_JUGGLED_STRETCH_H

#include "juggled/care/balancing.h"

struct stretch;

/* Of the threads that are balanced and live; they may be read after the balancing's end. -ENOMEM;
 * -ESRCH: none lives. */
int stretch_create(const struct balancing *balancing, struct stretch **stretch) MUST_CHECK;
void stretch_destroy(struct stretch *stretch);

/* Begins a stretch. -ESRCH: a thread is gone; others as procfs_schedstat_read. */
int stretch_begin(struct stretch *stretch, int64_t now_ns) MUST_CHECK;

/* The share of its time that the slowest thread ran, see worth_slowest. As stretch_begin; -ENODATA:
 * nobody did anything. */
int stretch_end(struct stretch *stretch, int64_t now_ns, double *rate) MUST_CHECK;

#endif
