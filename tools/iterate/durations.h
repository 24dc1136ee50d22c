/* SPDX-License-Identifier: BSD-3-Clause */
/* The longest that each task took in any iteration, for simulations: a file with a line of
 * nanoseconds for each task that did something. */
#ifndef JUGGLE_ITERATE_DURATIONS_H
#define JUGGLE_ITERATE_DURATIONS_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal.h"

struct durations;

/* NULL: no memory. */
struct durations *durations_create(int64_t tasks_count) MUST_CHECK;
void durations_destroy(struct durations *durations);

/* By the worker that executed the task. */
void durations_note(struct durations *durations, int64_t task, int64_t duration_ns);

/* Whether they could be written to the file: -ECANCELED after complaining. */
int durations_try(const char *path, const char *program) MUST_CHECK;

/* Collective: rank 0 writes what all ranks noted, or leaves the file as it was, and it alone gets
 * -errno then, after complaining. */
int durations_write(struct durations *durations, struct steal_runtime *runtime, const char *path,
                    const char *program) MUST_CHECK;

#endif
