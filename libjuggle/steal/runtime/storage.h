/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes that each worker of a rank has of a collection for itself, in lines of its own. */
#ifndef JUGGLE_STEAL_RUNTIME_STORAGE_H
#define JUGGLE_STEAL_RUNTIME_STORAGE_H

#include "libjuggle/ground/units.h"

#include <stddef.h>

struct storage {
    unsigned char *memory;
    size_t size;   /* of one worker, as the program asked for it */
    size_t stride; /* from worker to worker */
    int workers;
    unsigned char *initial; /* a copy; NULL: zeros */
};

/* Of so many workers, as `initial` says, or zero; NULL if `size` is 0. On failure it is to be
 * closed, too. */
int storage_open(size_t size, const void *initial, int workers,
                 struct storage **storage) MUST_CHECK;
void storage_close(struct storage *storage);

static inline void *storage_of(const struct storage *storage, int worker)
{
    return storage->memory + (size_t)worker * storage->stride;
}

/* As it was at first. */
void storage_clear(struct storage *storage);

#endif
