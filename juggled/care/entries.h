/* SPDX-License-Identifier: BSD-3-Clause */
/* A list whose walks no removal disturbs: an entry that is removed leaves a gap, and is destroyed
 * only when the event loop sweeps, between two of its turns.
 *
 * Jobs, clients and viewers are kept in one each. So nothing that is reached within a turn of the
 * loop, by a walk or by a pointer, has been freed in it, whoever removed it. */
#ifndef JUGGLE_JUGGLED_ENTRIES_H
#define JUGGLE_JUGGLED_ENTRIES_H

#include "libjuggle/ground/fault.h"
#include "libjuggle/ground/units.h"

struct entry;

/* Begins as {.destroy = ...}. A list in which a check has failed cannot be trusted any more: its
 * owner ends the service, by which all masks are given back. */
struct entries {
    void (*destroy)(void *entry);
    struct entry *list;
    int limit, room;
    int count; /* that were not removed */
    struct fault fault;
};

/* -ENOMEM. A walk under way meets it. */
int entries_add(struct entries *entries, void *entry) MUST_CHECK;
/* It is there, and no walk meets it any more; it lives until the next sweep. */
void entries_drop(struct entries *entries, const void *entry);

/* The next one of a walk that begins with *cursor = 0; NULL at its end. */
void *entries_next(const struct entries *entries, int *cursor);

/* Destroys what was removed; nobody walks. Returns how many. */
int entries_sweep(struct entries *entries);

/* Destroys all. */
void entries_release(struct entries *entries);

#endif
