/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is balanced where, over all jobs: a new one begins on the least crowded processors.
 */
#ifndef JUGGLE_JUGGLED_CROWD_H
#define JUGGLE_JUGGLED_CROWD_H

#include "juggled/care/entries.h"
#include "libjuggle/linux/cpu_mask.h"

/* How many threads each processor has that are balanced on it now; `context` are the entries of
 * charges. */
void crowd_count(void *context, int crowd[CPU_MASK_CPUS_MAX]);

#endif
