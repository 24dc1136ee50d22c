/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of virtual time: a priority queue for a clock that never goes back, whose next few
 * events can be looked at. */
#ifndef JUGGLE_STEAL_SIM_AGENDA_H
#define JUGGLE_STEAL_SIM_AGENDA_H

#include "libjuggle/ground/units.h"

#include <stdint.h>

enum {
    AGENDA_PILES = 64,
    AGENDA_AHEAD = 12, /* how many events can be looked at, unless there are fewer in all */
};

/* An event at a rank; the user defines the meaning of `what`. */
struct happening {
    int64_t time_ns;
    int32_t rank;
    uint32_t what;
};

struct happenings {
    struct happening *list;
    size_t count;
    size_t capacity;
};

struct agenda {
    struct happenings near; /* in order, from `at` on */
    size_t at;
    int64_t near_ns; /* events before this time are in `near` */
    int64_t base_ns; /* not later than any event in a pile */
    uint64_t filled; /* bit k: pile k is not empty */
    struct happenings pile[AGENDA_PILES];
};

/* An agenda that is all zeros is empty. */
void agenda_free(struct agenda *agenda);

/* Adds a happening. Its time must not be negative, nor earlier than that of the one taken last.
 * Happenings of one time are taken in the order in which they were added. Returns 0 or -ENOMEM. */
int agenda_add(struct agenda *agenda, struct happening happening) MUST_CHECK;

/* Takes the next happening off the agenda. Returns 1, 0 if there is none, or -ENOMEM. */
int agenda_take(struct agenda *agenda, struct happening *happening) MUST_CHECK;

/* Returns the happening `ahead` places behind the next one, up to AGENDA_AHEAD - 1, or NULL if
 * there are fewer. One that is added later may come before it. */
const struct happening *agenda_peek(const struct agenda *agenda, size_t ahead);

#endif
