/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples where a thread is while it runs in user mode, by a software clock of perf. It needs no
 * hardware counter, and no privilege for the user's own threads up to kernel.perf_event_paranoid 2.
 * An open sampler costs its thread about a microsecond at each context switch: open it only for a
 * moment.
 */
#ifndef JUGGLE_LINUX_PERF_SAMPLER_H
#define JUGGLE_LINUX_PERF_SAMPLER_H

#include "libjuggle/ground/units.h"
#include "libjuggle/linux/samples.h"
#include "libjuggle/linux/thread_id.h"

struct perf_sampler;

/* Begins to sample a thread each `period_ns` of its run time. -EACCES, -EPERM: perf is refused;
 * -ENOTSUP: this kernel has none; -ESRCH, -EMFILE, -ENOMEM. */
int perf_sampler_open(const struct thread_id *id, int64_t period_ns,
                      struct perf_sampler **sampler) MUST_CHECK;

/* Reads the samples since the last call. Call it only once if times matter, because they count from
 * the open on. */
void perf_sampler_read(struct perf_sampler *sampler, struct samples *samples);

/* Accepts NULL. */
void perf_sampler_close(struct perf_sampler *sampler);

#endif
