/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that make others give way: one per processor, which does nothing but sleep for an
 * interval and wake. A thread that ran meanwhile has then had more than its share, so the kernel
 * lets another one in the run queue go on. That helps if the first one spins and costs if it works.
 *
 * All functions here are called by one and the same thread. */
#ifndef JUGGLE_JOB_NUDGERS_H
#define JUGGLE_JOB_NUDGERS_H

#include "libjuggle/ground/machine.h"

struct nudgers;

/* Starts no thread yet. -ENOMEM. */
int nudgers_create(const struct machine *machine, struct nudgers **nudgers) MUST_CHECK;

/* From now on the threads on a processor are nudged each `interval_ns`; 0: no longer. -EAGAIN: no
 * more threads can be created. */
int nudgers_set(struct nudgers *nudgers, int processor, int64_t interval_ns) MUST_CHECK;
void nudgers_rest(struct nudgers *nudgers);

/* The number of nudges so far, on all processors. */
int64_t nudgers_count(const struct nudgers *nudgers);

void nudgers_destroy(struct nudgers *nudgers);

#endif
