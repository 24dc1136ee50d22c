/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of a search: a few tasks are executed, and what comes of them is dealt to all ranks. */
#ifndef JUGGLE_STEAL_RUNTIME_SCATTER_H
#define JUGGLE_STEAL_RUNTIME_SCATTER_H

#include "libjuggle/steal/runtime/collection.h"

/* If steal_scatter() asked for it: before any thread works. */
int scatter_tasks(struct steal_collection *collection) MUST_CHECK;

#endif
