/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages that are under way or wait for their receivers, referred to by index. */
#ifndef JUGGLE_STEAL_SIM_MESSAGE_POOL_H
#define JUGGLE_STEAL_SIM_MESSAGE_POOL_H

#include "libjuggle/steal/protocol/message.h"
#include "tools/steal-sim/lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NO_MESSAGE = 0 };

struct queued_message {
    _Alignas(LINE) struct message message; /* as its receiver will see it */
    uint32_t next;                         /* in the inbox, or in the list of free entries */
    uint32_t size;                         /* bytes of tasks */
    void *tasks;
    bool ejected; /* the interface of the receiver's node has scheduled it */
};

enum { POOL_SHIFT = 10, POOL_CHUNK = 1 << POOL_SHIFT };

/* All zeros: there are none. Entries are allocated in chunks and never move. */
struct message_pool {
    struct queued_message **chunk;
    uint32_t chunks;
    uint32_t used; /* indexes that were ever used, NO_MESSAGE included */
    uint32_t free; /* first of the free entries, or NO_MESSAGE */
};

static inline struct queued_message *message_pool_at(const struct message_pool *pool,
                                                     uint32_t index)
{
    return &pool->chunk[index >> POOL_SHIFT][index % POOL_CHUNK];
}

/* Adds the message and a copy of `size` bytes of tasks. Returns its index, or NO_MESSAGE if there
 * is no memory. */
uint32_t message_pool_add(struct message_pool *pool, const struct message *message,
                          const void *tasks, size_t size);

/* Removes the message and returns its tasks, which the caller frees. */
void *message_pool_remove(struct message_pool *pool, uint32_t index);

/* Frees all messages and their tasks. */
void message_pool_close(struct message_pool *pool);

#endif
