/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of progress go up the tree of ranks, and rank 0 gives them to the program. */
#ifndef JUGGLE_STEAL_RUNTIME_PROGRESS_H
#define JUGGLE_STEAL_RUNTIME_PROGRESS_H

#include "libjuggle/steal/runtime/collection.h"

/* Reports if progress_interval_ns has passed since the latest report. */
int progress_report(struct steal_collection *collection) MUST_CHECK;

#endif
