/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/message_pool.h"

#include <stdlib.h>
#include <string.h>

static bool message_pool_grow(struct message_pool *pool)
{
    struct queued_message **chunk = reallocarray(pool->chunk, pool->chunks + 1,
                                                 sizeof(struct queued_message *));

    if (!chunk)
        return false;
    pool->chunk = chunk;
    chunk[pool->chunks] = aligned_alloc(LINE, POOL_CHUNK * sizeof(struct queued_message));
    if (!chunk[pool->chunks])
        return false;
    if (pool->chunks++ == 0)
        pool->used = NO_MESSAGE + 1;
    return true;
}

static uint32_t message_pool_index(struct message_pool *pool)
{
    uint32_t index = pool->free;

    if (index != NO_MESSAGE) {
        pool->free = message_pool_at(pool, index)->next;
        return index;
    }
    if (pool->used == pool->chunks * POOL_CHUNK && !message_pool_grow(pool))
        return NO_MESSAGE;
    return pool->used++;
}

uint32_t message_pool_add(struct message_pool *pool, const struct message *message,
                          const void *tasks, size_t size)
{
    void *copy = size > 0 ? malloc(size) : NULL;
    uint32_t index;

    if (size > 0 && !copy)
        return NO_MESSAGE;
    index = message_pool_index(pool);
    if (index == NO_MESSAGE) {
        free(copy);
        return NO_MESSAGE;
    }
    if (copy)
        memcpy(copy, tasks, size);
    *message_pool_at(pool, index) = (struct queued_message){
        .message = *message, .size = (uint32_t)size, .tasks = copy};
    return index;
}

void *message_pool_remove(struct message_pool *pool, uint32_t index)
{
    struct queued_message *queued = message_pool_at(pool, index);
    void *tasks = queued->tasks;

    queued->tasks = NULL;
    queued->next = pool->free;
    pool->free = index;
    return tasks;
}

void message_pool_close(struct message_pool *pool)
{
    for (uint32_t index = NO_MESSAGE + 1; index < pool->used; index++)
        free(message_pool_at(pool, index)->tasks);
    for (uint32_t i = 0; i < pool->chunks; i++)
        free(pool->chunk[i]);
    free(pool->chunk);
}
