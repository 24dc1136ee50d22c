/* SPDX-License-Identifier: BSD-3-Clause */
/* Which processors hold how many balanced threads, over all jobs: a new job begins on those with
 * the fewest. */
#ifndef JUGGLE_JUGGLED_NEIGHBORS_H
#define JUGGLE_JUGGLED_NEIGHBORS_H

#include "juggled/care/entries.h"
#include "libjuggle/linux/cpu_mask.h"

/* How many balanced threads each processor holds now, by the kernel's number; `context` is the list
 * of jobs. */
void neighbors_threads(void *context, int counts[CPU_MASK_CPUS_MAX]);

#endif
