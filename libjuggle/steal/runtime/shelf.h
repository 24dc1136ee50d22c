/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results that wait for others with lesser numbers: a heap by number. The bytes lie in memory, up
 * to a bound, and the rest in a file; beside them each takes 32 bytes.
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
    off_t at;   /* there */
};

struct shelf {
    struct shelf_entry *heap; /* the least number first */
    size_t count, capacity;
    size_t held, memory_max; /* bytes in memory */
    struct spill spill;
};

void shelf_init(struct shelf *shelf, size_t memory_max);
void shelf_close(struct shelf *shelf);

/* Nothing that waits is wanted any more. */
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

/* Takes that one off, into `data`, which has room for any. */
int shelf_take(struct shelf *shelf, void *data, size_t *size) MUST_CHECK;

#endif
