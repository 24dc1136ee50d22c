/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory in whole lines of the cache: of thousands of ranks, each is a miss. */
#ifndef JUGGLE_STEAL_SIM_LINES_H
#define JUGGLE_STEAL_SIM_LINES_H

#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

/* Zeros, to be freed; each of `size`, whose alignment is LINE. NULL: there is no memory. */
static inline void *lines_allocate(size_t count, size_t size)
{
    void *lines = aligned_alloc(LINE, count * size);

    return lines ? memset(lines, 0, count * size) : NULL;
}

#endif
