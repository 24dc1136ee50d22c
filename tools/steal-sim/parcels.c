/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/parcels.h"

#include <stdlib.h>
#include <string.h>

static bool parcels_open(struct parcels *parcels)
{
    struct parcel **chunk = reallocarray(parcels->chunk, parcels->chunks + 1,
                                         sizeof(struct parcel *));

    if (!chunk)
        return false;
    parcels->chunk = chunk;
    chunk[parcels->chunks] = aligned_alloc(LINE, PARCELS_CHUNK * sizeof(struct parcel));
    if (!chunk[parcels->chunks])
        return false;
    if (parcels->chunks++ == 0)
        parcels->used = NO_PARCEL + 1;
    return true;
}

static uint32_t parcels_take(struct parcels *parcels)
{
    uint32_t index = parcels->free;

    if (index != NO_PARCEL) {
        parcels->free = parcels_at(parcels, index)->next;
        return index;
    }
    if (parcels->used == parcels->chunks * PARCELS_CHUNK && !parcels_open(parcels))
        return NO_PARCEL;
    return parcels->used++;
}

uint32_t parcels_wrap(struct parcels *parcels, const struct message *message, const void *tasks,
                      size_t size)
{
    void *copy = size > 0 ? malloc(size) : NULL;
    uint32_t index;

    if (size > 0 && !copy)
        return NO_PARCEL;
    index = parcels_take(parcels);
    if (index == NO_PARCEL) {
        free(copy);
        return NO_PARCEL;
    }
    if (copy)
        memcpy(copy, tasks, size);
    *parcels_at(parcels, index) = (struct parcel){
        .message = *message, .size = (uint32_t)size, .tasks = copy};
    return index;
}

void *parcels_unwrap(struct parcels *parcels, uint32_t index)
{
    struct parcel *parcel = parcels_at(parcels, index);
    void *tasks = parcel->tasks;

    parcel->tasks = NULL;
    parcel->next = parcels->free;
    parcels->free = index;
    return tasks;
}

void parcels_close(struct parcels *parcels)
{
    for (uint32_t index = NO_PARCEL + 1; index < parcels->used; index++)
        free(parcels_at(parcels, index)->tasks);
    for (uint32_t i = 0; i < parcels->chunks; i++)
        free(parcels->chunk[i]);
    free(parcels->chunk);
}
