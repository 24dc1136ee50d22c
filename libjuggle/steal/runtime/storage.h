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
    /* Of workers of a run before, whom this rank has no worker for: they count when it is reduced.
     */
    unsigned char *more_memory;
    int more;
};

/* Makes the storage of `workers` workers, each as `initial` says, or zero; NULL if `size` is 0. On
 * failure it is to be closed, too. */
int storage_open(size_t size, const void *initial, int workers,
                 struct storage **storage) MUST_CHECK;
void storage_close(struct storage *storage);

/* That of a worker, and behind them the others. */
static inline void *storage_of(const struct storage *storage, int which)
{
    if (which < storage->workers)
        return storage->memory + (size_t)which * storage->stride;
    return storage->more_memory + (size_t)(which - storage->workers) * storage->stride;
}

static inline int storage_count(const struct storage *storage)
{
    return storage->workers + storage->more;
}

/* Copies one more. */
int storage_add(struct storage *storage, const void *bytes) MUST_CHECK;

/* As it was at first. */
void storage_clear(struct storage *storage);

#endif
