/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of progress: they come up the tree of ranks, and rank 0 tells the application. */
#ifndef JUGGLE_STEAL_RUNTIME_PROGRESS_H
#define JUGGLE_STEAL_RUNTIME_PROGRESS_H

#include "libjuggle/steal/runtime/collection.h"

/* Reports if it is time to. */
int progress_report(struct steal_collection *collection) MUST_CHECK;

#endif
