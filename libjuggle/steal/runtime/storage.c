/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/storage.h"

#include "libjuggle/steal/runtime/collection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int storage_open(size_t size, const void *initial, int workers, struct storage **opened)
{
    struct storage *storage;

    if (size == 0)
        return 0;
    storage = *opened = malloc(sizeof(*storage));
    if (!storage)
        return -ENOMEM;
    *storage = (struct storage){.size = size,
                                .stride = (size + DEQUE_LINE - 1) / DEQUE_LINE * DEQUE_LINE,
                                .workers = workers};
    storage->memory = aligned_alloc(DEQUE_LINE, storage->stride * (size_t)workers);
    if (initial)
        storage->initial = malloc(size);
    if (!storage->memory || (initial && !storage->initial))
        return -ENOMEM;
    if (initial)
        memcpy(storage->initial, initial, size);
    storage_clear(storage);
    return 0;
}

void storage_close(struct storage *storage)
{
    if (!storage)
        return;
    free(storage->memory);
    free(storage->initial);
    free(storage->more_memory);
    free(storage);
}

/* Makes room for one more: doubles the memory whenever the number of added ones is a power of
 * two. */
static int storage_grow(struct storage *storage)
{
    const size_t more = (size_t)storage->more;
    unsigned char *memory;

    if ((more & (more - 1)) != 0)
        return 0;
    memory = aligned_alloc(DEQUE_LINE, (more > 0 ? 2 * more : 1) * storage->stride);
    if (!memory)
        return -ENOMEM;
    if (more > 0)
        memcpy(memory, storage->more_memory, more * storage->stride);
    free(storage->more_memory);
    storage->more_memory = memory;
    return 0;
}

int storage_add(struct storage *storage, const void *bytes)
{
    const int result = storage_grow(storage);
    unsigned char *room;

    if (result < 0)
        return result;
    room = storage->more_memory + (size_t)storage->more * storage->stride;
    memset(room, 0, storage->stride);
    memcpy(room, bytes, storage->size);
    storage->more++;
    return 0;
}

void storage_clear(struct storage *storage)
{
    storage->more = 0;
    memset(storage->memory, 0, storage->stride * (size_t)storage->workers);
    for (int worker = 0; worker < storage->workers && storage->initial; worker++)
        memcpy(storage_of(storage, worker), storage->initial, storage->size);
}

/* ---- for the program ----------------------------------------------------------------------- */

void *steal_storage(const struct steal_worker *worker, const struct steal_collection *collection)
{
    if (!worker || !collection || worker->runtime != collection->runtime || !collection->storage ||
        worker->index >= collection->storage->workers)
        return NULL;
    return storage_of(collection->storage, worker->index);
}

int steal_storage_clear(struct steal_collection *collection)
{
    struct steal_runtime *runtime;

    if (!collection)
        return -EINVAL;
    runtime = collection->runtime;
    if (runtime->processing)
        return runtime_fail(runtime, -EBUSY, "steal_storage_clear() from within a task");
    if (!collection->storage)
        return runtime_fail(runtime, -EINVAL, "the collection was created without storage");
    runtime_forget(runtime);
    storage_clear(collection->storage);
    return 0;
}
