/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens next in virtual time: a queue for a clock that never goes back, which lets its user
 * see a little ahead. */
#ifndef JUGGLE_STEAL_SIM_AGENDA_H
#define JUGGLE_STEAL_SIM_AGENDA_H

#include "libjuggle/ground/units.h"

#include <stdint.h>

enum {
    AGENDA_PILES = 64,
    AGENDA_AHEAD = 12, /* how many can be seen, unless there are fewer in all */
};

/* Something happens to a rank; what, is the user's. */
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
    int64_t near_ns; /* whatever happens before is near */
    int64_t base_ns; /* not after anything that is far */
    uint64_t filled; /* bit k: pile k is not empty */
    struct happenings pile[AGENDA_PILES];
};

/* An agenda of zeros is empty. */
void agenda_free(struct agenda *agenda);

/* Not negative, and not earlier than what was taken last. Happenings of one time are taken in the
 * order in which they were added. */
int agenda_add(struct agenda *agenda, struct happening happening) MUST_CHECK;

/* The next happening, taken off the agenda: 1, or 0 if there is none; -errno. */
int agenda_take(struct agenda *agenda, struct happening *happening) MUST_CHECK;

/* The happening `ahead` places behind the next one, up to AGENDA_AHEAD - 1; NULL if there are
 * fewer. It may be overtaken. */
const struct happening *agenda_peek(const struct agenda *agenda, size_t ahead);

#endif
