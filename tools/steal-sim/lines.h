/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory in whole cache lines, because with thousands of ranks each line is a cache miss. */
#ifndef JUGGLE_STEAL_SIM_LINES_H
#define JUGGLE_STEAL_SIM_LINES_H

#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

/* Allocates `count` zeroed elements of `size` bytes each, aligned to LINE, to be freed with free().
 * NULL if there is no memory. */
static inline void *lines_allocate(size_t count, size_t size)
{
    void *lines = aligned_alloc(LINE, count * size);

    return lines ? memset(lines, 0, count * size) : NULL;
}

#endif
