/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of a search: a rank executes a few tasks, and deals the tasks that these add to all
 * ranks. */
#ifndef JUGGLE_STEAL_RUNTIME_SCATTER_H
#define JUGGLE_STEAL_RUNTIME_SCATTER_H

#include "libjuggle/steal/runtime/collection.h"

/* Does nothing unless steal_scatter() has asked for it. Called before any thread works. */
int scatter_tasks(struct steal_collection *collection) MUST_CHECK;

#endif
