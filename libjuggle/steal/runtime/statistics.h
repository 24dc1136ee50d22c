/* SPDX-License-Identifier: BSD-3-Clause */
/* The statistics of a process: what the workers of a rank did, together. */
#ifndef JUGGLE_STEAL_RUNTIME_STATISTICS_H
#define JUGGLE_STEAL_RUNTIME_STATISTICS_H

#include "libjuggle/steal/runtime/collection.h"

/* Adds up what the workers did, when all of them are done. */
void statistics_gather(struct steal_collection *collection, int64_t now_ns);

#endif
