/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts indexes by a key without the C library, whose qsort may allocate. */
#ifndef JUGGLE_GROUND_SORT_H
#define JUGGLE_GROUND_SORT_H

#include <stdint.h>

struct sort_item {
    int64_t key;
    int index;
};

/* Ascending by key, equal keys by index: the order is the same on every machine. O(n log n), in
 * place. */
void sort_items(struct sort_item *items, int count);

#endif
