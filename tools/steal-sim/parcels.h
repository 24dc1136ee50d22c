/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages that are under way or wait for their receivers, referred to by index. */
#ifndef JUGGLE_STEAL_SIM_PARCELS_H
#define JUGGLE_STEAL_SIM_PARCELS_H

#include "libjuggle/steal/protocol/message.h"
#include "tools/steal-sim/lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NO_PARCEL = 0 };

struct parcel {
    _Alignas(LINE) struct message message; /* as its receiver will see it */
    uint32_t next;                         /* in the inbox, or in the list of free parcels */
    uint32_t size;                         /* bytes of tasks */
    void *tasks;
    bool ejected; /* the interface of the receiver's node has scheduled it */
};

enum { PARCELS_SHIFT = 10, PARCELS_CHUNK = 1 << PARCELS_SHIFT };

/* All zeros: there are none. Parcels are allocated in chunks and never move. */
struct parcels {
    struct parcel **chunk;
    uint32_t chunks;
    uint32_t used; /* indexes that were ever used, NO_PARCEL included */
    uint32_t free; /* first of the free parcels, or NO_PARCEL */
};

static inline struct parcel *parcels_at(const struct parcels *parcels, uint32_t index)
{
    return &parcels->chunk[index >> PARCELS_SHIFT][index % PARCELS_CHUNK];
}

/* Makes a parcel of the message and a copy of `size` bytes of tasks. NO_PARCEL if there is no
 * memory. */
uint32_t parcels_wrap(struct parcels *parcels, const struct message *message, const void *tasks,
                      size_t size);

/* Frees the parcel and returns its tasks, which the caller frees. */
void *parcels_unwrap(struct parcels *parcels, uint32_t index);

/* Frees all parcels and their tasks. */
void parcels_close(struct parcels *parcels);

#endif
