/* SPDX-License-Identifier: BSD-3-Clause */
/* The published trees of UTS as forests: their inner nodes, with leaves that are counted. */
#ifndef JUGGLE_TESTS_PUBLISHED_H
#define JUGGLE_TESTS_PUBLISHED_H

#include "tests/sim/cluster.h"

/* The tree called `name`, which has fewer inner nodes than nodes_max. */
void forest_grow_published(const char *name, uint32_t nodes_max);

#endif
