/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/shelf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 64 };

void shelf_init(struct shelf *shelf, size_t memory_max)
{
    *shelf = (struct shelf){.memory_max = memory_max};
    spill_init(&shelf->spill);
}

void shelf_close(struct shelf *shelf)
{
    for (size_t i = 0; i < shelf->count; i++)
        free(shelf->heap[i].data);
    free(shelf->heap);
    spill_close(&shelf->spill);
}

void shelf_clear(struct shelf *shelf)
{
    shelf_close(shelf);
    shelf_init(shelf, shelf->memory_max);
}

static int shelf_grow(struct shelf *shelf)
{
    const size_t capacity = shelf->capacity > 0 ? 2 * shelf->capacity : CAPACITY_FIRST;
    struct shelf_entry *heap = reallocarray(shelf->heap, capacity, sizeof(*heap));

    if (!heap)
        return -ENOMEM;
    shelf->heap = heap;
    shelf->capacity = capacity;
    return 0;
}

/* Puts the entry into a heap, from the free place `at` up. */
static void heap_rise(struct shelf_entry *heap, size_t at, struct shelf_entry entry)
{
    while (at > 0 && heap[(at - 1) / 2].id > entry.id) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = entry;
}

/* Puts the entry into a heap of `count`, from the top down. */
static void heap_sink(struct shelf_entry *heap, size_t count, struct shelf_entry entry)
{
    size_t at = 0, child;

    while ((child = 2 * at + 1) < count) {
        child += child + 1 < count && heap[child + 1].id < heap[child].id;
        if (heap[child].id >= entry.id)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = entry;
}

int shelf_put(struct shelf *shelf, uint64_t id, const void *data, size_t size)
{
    struct shelf_entry entry = {.id = id, .size = size};
    int result = shelf->count == shelf->capacity ? shelf_grow(shelf) : 0;

    if (result < 0)
        return result;
    if (size > 0 && shelf->held + size <= shelf->memory_max)
        entry.data = malloc(size);
    if (entry.data) {
        memcpy(entry.data, data, size);
        shelf->held += size;
    } else {
        result = size > 0 ? spill_add(&shelf->spill, data, size, &entry.at) : 0;
    }
    if (result == 0)
        heap_rise(shelf->heap, shelf->count++, entry);
    return result;
}

int shelf_take(struct shelf *shelf, void *data, size_t *size)
{
    const struct shelf_entry entry = shelf->heap[0];
    int result = 0;

    *size = entry.size;
    if (entry.data)
        memcpy(data, entry.data, entry.size);
    else if (entry.size > 0)
        result = spill_read(&shelf->spill, entry.at, data, entry.size);
    if (result < 0)
        return result;
    if (entry.data)
        shelf->held -= entry.size;
    free(entry.data);
    shelf->count--;
    if (shelf->count > 0)
        heap_sink(shelf->heap, shelf->count, shelf->heap[shelf->count]);
    else
        spill_clear(&shelf->spill);
    return 0;
}
