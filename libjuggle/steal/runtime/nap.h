/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exponential back-off sleep of an idle worker, so that other threads can use its processor. It
 * matters most if the node is oversubscribed.
 */
#ifndef JUGGLE_STEAL_RUNTIME_NAP_H
#define JUGGLE_STEAL_RUNTIME_NAP_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

struct nap {
    int64_t latest_ns; /* length of the latest sleep; 0: none yet */
};

/* Sleeps twice as long as the last time, from 20 us up to 200 us, or up to 1 ms if `crowded`: there
 * are more threads than processors. */
void nap_take(struct nap *nap, bool crowded);

#endif
