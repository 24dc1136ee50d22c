/* SPDX-License-Identifier: BSD-3-Clause */
/* A list from which entries can be removed during a walk: a removed entry leaves a gap, and is
 * destroyed only when the event loop sweeps, between two turns of the loop.
 *
 * Jobs, clients and viewers are each kept in such a list. So nothing that is reached within a
 * turn of the loop, by a walk or by a pointer, has been freed in that turn. */
#ifndef JUGGLE_JUGGLED_ENTRIES_H
#define JUGGLE_JUGGLED_ENTRIES_H

#include "libjuggle/ground/fault.h"
#include "libjuggle/ground/units.h"

struct entry;

/* Begins as {.destroy = ...}. If a check of the list has failed, it cannot be trusted any more:
 * its owner ends the service, which gives all masks back. */
struct entries {
    void (*destroy)(void *entry);
    struct entry *list;
    int limit, room;
    int count; /* entries that were not removed */
    struct fault fault;
};

/* A walk in progress will reach the entry. -ENOMEM; -EPROTO: a check failed. */
int entries_add(struct entries *entries, void *entry) MUST_CHECK;
/* Removes an entry of the list. No walk reaches it any more; it lives until the next sweep. */
void entries_drop(struct entries *entries, const void *entry);

/* The next one of a walk that begins with *cursor = 0; NULL at its end. */
void *entries_next(const struct entries *entries, int *cursor);

/* Destroys the removed entries and returns their number. No walk may be in progress. */
int entries_sweep(struct entries *entries);

/* Destroys all. */
void entries_release(struct entries *entries);

#endif
