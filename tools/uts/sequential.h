/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches a tree in one thread, with a stack of inner nodes: the baseline of parallel speedups. */
#ifndef JUGGLE_UTS_SEQUENTIAL_H
#define JUGGLE_UTS_SEQUENTIAL_H

#include "tools/uts/expander.h"

/* Returns 0, or -ENOMEM. */
int sequential_search(const struct tree *tree, const struct hasher *hasher,
                      struct census *census) MUST_CHECK;

#endif
