/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/stash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int stash_add(struct stash **stash, int tier, const void *tasks, uint32_t count, size_t stride)
{
    struct stash *added = malloc(sizeof(*added) + count * stride);

    if (!added)
        return -ENOMEM;
    *added = (struct stash){.next = *stash, .count = count, .tier = tier};
    memcpy(added->tasks, tasks, count * stride);
    *stash = added;
    return 0;
}

void stash_drop(struct stash **stash, uint32_t count, size_t stride)
{
    struct stash *first = *stash;

    first->count -= count;
    if (first->count > 0) {
        memmove(first->tasks, first->tasks + count * stride, first->count * stride);
        return;
    }
    *stash = first->next;
    free(first);
}
