/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results that wait for others with lower numbers: a heap by number. Their bytes lie in memory, up
 * to a bound, and the rest in a file. Beside them each result takes 32 bytes of memory.
 */
#ifndef JUGGLE_STEAL_RUNTIME_SHELF_H
#define JUGGLE_STEAL_RUNTIME_SHELF_H

#include "libjuggle/steal/runtime/spill.h"

#include <stdbool.h>
#include <stdint.h>

struct shelf_entry {
    uint64_t id;
    size_t size;
    void *data; /* NULL: it is in the file, or has no bytes */
    off_t at;   /* its offset in the file */
};

struct shelf {
    struct shelf_entry *heap; /* the least number first */
    size_t count, capacity;
    size_t held, memory_max; /* bytes in memory */
    struct spill spill;
};

void shelf_init(struct shelf *shelf, size_t memory_max);
void shelf_close(struct shelf *shelf);

/* Drops all results. */
void shelf_clear(struct shelf *shelf);

int shelf_put(struct shelf *shelf, uint64_t id, const void *data, size_t size) MUST_CHECK;

/* The least number that waits; false if none does. */
static inline bool shelf_least(const struct shelf *shelf, uint64_t *id)
{
    if (shelf->count == 0)
        return false;
    *id = shelf->heap[0].id;
    return true;
}

/* Copies the result with the least number into `data`, which has room for any, and removes it.
 * After a failure it is still there. */
int shelf_take(struct shelf *shelf, void *data, size_t *size) MUST_CHECK;

#endif
