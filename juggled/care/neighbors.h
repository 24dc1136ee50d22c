/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of balanced threads on each processor, over all jobs: a new job begins on the
 * processors with the fewest. */
#ifndef JUGGLE_JUGGLED_NEIGHBORS_H
#define JUGGLE_JUGGLED_NEIGHBORS_H

#include "juggled/care/entries.h"
#include "libjuggle/linux/cpu_mask.h"

/* Counts the balanced threads that each processor holds now, by the kernel's processor number.
 * `context` is the list of jobs. */
void neighbors_threads(void *context, int counts[CPU_MASK_CPUS_MAX]);

#endif
