/* SPDX-License-Identifier: BSD-3-Clause */
/* The longest time of each task in any iteration, for simulations: a file with a line of
 * nanoseconds for each task that did something. */
#ifndef JUGGLE_ITERATE_DURATIONS_H
#define JUGGLE_ITERATE_DURATIONS_H

#include "libjuggle/ground/units.h"
#include "libjuggle/steal.h"

struct durations;

/* Returns NULL if there is no memory. */
struct durations *durations_create(int64_t tasks_count) MUST_CHECK;
void durations_destroy(struct durations *durations);

/* Called by the worker that executed the task. */
void durations_note(struct durations *durations, int64_t task, int64_t duration_ns);

/* Tries whether the file can be written. Returns 0, or -ECANCELED after complaining. */
int durations_try(const char *path, const char *program) MUST_CHECK;

/* Collective: rank 0 writes the durations of all ranks. If it cannot, the file stays as it was, and
 * rank 0 alone complains and returns -errno. */
int durations_write(struct durations *durations, struct steal_runtime *runtime, const char *path,
                    const char *program) MUST_CHECK;

#endif
