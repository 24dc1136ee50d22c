/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sleep of somebody who has nothing to do: longer and longer. What he loses by sleeping on is
 * less than what his processor does meanwhile for somebody else, above all where there is somebody
 * who waits for it.
 */
#ifndef JUGGLE_STEAL_RUNTIME_NAP_H
#define JUGGLE_STEAL_RUNTIME_NAP_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

struct nap {
    int64_t latest_ns; /* 0: he has not slept yet */
};

/* Crowded: there are more threads than processors. */
void nap_take(struct nap *nap, bool crowded);

#endif
