/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results of all threads of a rank, in the order in which they came: first in memory, and
 * beyond `memory_max` in a file. All functions take the lock, except spool_open(), spool_close()
 * and spool_occupied().
 */
#ifndef JUGGLE_STEAL_RUNTIME_SPOOL_H
#define JUGGLE_STEAL_RUNTIME_SPOOL_H

#include "libjuggle/steal/runtime/spill.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Stands before the bytes of a result, which are padded to a multiple of 8. */
struct result_head {
    uint64_t id;
    uint64_t size;
};

static inline size_t result_room(size_t size)
{
    return sizeof(struct result_head) + (size + 7) / 8 * 8;
}

struct spool {
    pthread_mutex_t lock;
    unsigned char *memory; /* grows up to memory_max */
    size_t memory_size, memory_max;
    size_t begin, end;     /* of what memory holds */
    struct spill spill;    /* results that came later */
    off_t spill_begin;     /* of the results in it */
    _Atomic bool occupied; /* a hint, to be read without the lock */
};

int spool_open(struct spool *spool, size_t memory_max) MUST_CHECK;
void spool_close(struct spool *spool);

int spool_add(struct spool *spool, uint64_t id, const void *data, size_t size) MUST_CHECK;

/* Moves whole results, with their heads, to `out`, whose `most` bytes are enough for at least one
 * result of any size. Says how many bytes. */
int spool_take(struct spool *spool, void *out, size_t most, size_t *size) MUST_CHECK;

/* Drops all results. */
void spool_clear(struct spool *spool);

static inline bool spool_occupied(const struct spool *spool)
{
    return atomic_load_explicit(&spool->occupied, memory_order_acquire);
}

#endif
