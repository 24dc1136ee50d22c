/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exponential back-off sleep of an idle worker. Its processor is of more use to other threads
 * meanwhile, above all where the node is oversubscribed.
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
