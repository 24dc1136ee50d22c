/* SPDX-License-Identifier: BSD-3-Clause */
/* Grows the published trees of UTS: `forest` gets their inner nodes, and the numbers of leaves. */
#ifndef JUGGLE_TESTS_PUBLISHED_H
#define JUGGLE_TESTS_PUBLISHED_H

#include "tests/sim/cluster.h"

/* Grows the tree called `name`; fails the test if it has more than nodes_max inner nodes. */
void forest_grow_published(const char *name, uint32_t nodes_max);

#endif
