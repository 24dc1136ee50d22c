/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a collection that each worker of a rank has for itself, in cache lines of its
 * own. */
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
    /* Storage of workers of an earlier run, for which this rank has no worker. It takes part in
     * reductions. */
    unsigned char *more_memory;
    int more;
};

/* Creates the storage of `workers` workers, each a copy of `initial`, or zero if that is NULL. Does
 * nothing if `size` is 0. To be closed even after a failure. */
int storage_open(size_t size, const void *initial, int workers,
                 struct storage **storage) MUST_CHECK;
void storage_close(struct storage *storage);

/* The storage of a worker, or if `which` is beyond the workers, that of one of an earlier run. */
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

/* Adds a copy of the storage of a worker of an earlier run. */
int storage_add(struct storage *storage, const void *bytes) MUST_CHECK;

/* Sets all workers' storage to its initial contents, and drops that of an earlier run. */
void storage_clear(struct storage *storage);

#endif
