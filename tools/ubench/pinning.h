/* SPDX-License-Identifier: BSD-3-Clause */
/* Static balancing: members are pinned cyclically to the processors that they may use. */
#ifndef JUGGLE_UBENCH_PINNING_H
#define JUGGLE_UBENCH_PINNING_H

#include "libjuggle/ground/units.h"

/* Returns how many processors the caller may use. */
int pinning_processors_count(void);

/* Pins the caller to the (index modulo processors_count)-th processor that it may use. Returns 0 or
 * -errno. */
int pinning_cyclic(int index, int processors_count) MUST_CHECK;

#endif
