/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tasks of one worker if they have an order: a deque, or tier, for each level and each class of
 * costs, the best first. Costs within a class differ by at most a quarter, so that a part of each
 * class is that part of the work, and nothing has to be sorted.
 *
 * `occupied` says which deques may hold something: the owner sets a bit after it commits and before
 * it shares, and clears it when it finds the deque empty; others use it as a hint only.
 */
#ifndef JUGGLE_STEAL_RUNTIME_TIERS_H
#define JUGGLE_STEAL_RUNTIME_TIERS_H

#include "libjuggle/steal.h"
#include "libjuggle/steal/deque/deque.h"

#include <stdbool.h>

enum {
    COST_CLASSES = 136, /* four for each doubling, from 2^6 to 2^40 */
    TIERS_MAX = STEAL_LEVELS_MAX * COST_CLASSES,
    TIER_WORDS = (TIERS_MAX + 63) / 64,
};

struct tiers {
    struct deque *deque; /* NULL: the collection has none */
    int count;
    int classes;                /* of each level: COST_CLASSES, or 1 if tasks have no costs */
    size_t stride;              /* from task to task */
    _Atomic uint64_t *occupied; /* TIER_WORDS of them */
};

/* Whether a collection's tasks have an order. */
static inline bool tiers_wanted(const struct steal_properties *properties)
{
    return properties->levels > 1 || properties->weighted;
}

int tiers_open(struct tiers *tiers, const struct steal_properties *properties,
               size_t stride) MUST_CHECK;
void tiers_close(struct tiers *tiers);

/* Begins to measure anew how full tiers get. */
void tiers_begin(struct tiers *tiers);

/* The most tasks that one of them has held since. */
uint32_t tiers_held_max(const struct tiers *tiers);

/* The tier of a task. */
int tiers_place(const struct tiers *tiers, int level, int64_t cost);

/* By the owner: marks the tier as occupied, because it may hold tasks from now on. */
void tiers_occupy(struct tiers *tiers, int tier);

/* Number of tasks that are not claimed (for the owner), and that can be claimed (for any
 * thread). */
uint32_t tiers_count(const struct tiers *tiers);
uint32_t tiers_shared(const struct tiers *tiers);

/* By the owner: as deque_pop(), from the best tiers. */
uint32_t tiers_pop(struct tiers *tiers, unsigned char *tasks, uint32_t most);

/* By the owner: if all tiers together hold more than `keep` tasks, calls deque_share() on each
 * tier, which then need not keep any. */
void tiers_share(struct tiers *tiers, uint32_t keep);

/* The part of each tier that another worker or rank is to get. */
struct tiers_part {
    double fraction; /* of the work; 0: the best `most` tasks */
    uint32_t most;
    double seen, given; /* work of the tiers so far, and what was given of it */
};

/* How many of the `count` tasks of that tier are in the part. To be called from the best tier
 * on. */
uint32_t tiers_portion(const struct tiers *tiers, struct tiers_part *part, int tier,
                       uint32_t count);

/* Tasks that were claimed to be sent. */
struct tiers_claims {
    struct deque_claim claim[TIERS_MAX];
    uint32_t left; /* tasks that are still to be packed */
    int tier;      /* the tier that is being packed: `done` of its tasks are */
    uint32_t done;
};

/* Claims a part of the shared tasks, or if `all`, which only the owner may ask for, of all tasks.
 * Returns how many. */
uint32_t tiers_claim(struct tiers *tiers, bool all, struct tiers_part *part,
                     struct tiers_claims *claims);

/* Copies as many claimed tasks to `room` as fit, in runs of one tier each. Sets `count` to how
 * many, and returns the bytes; 0: a check of a deque failed. */
size_t tiers_pack(struct tiers *tiers, struct tiers_claims *claims, void *room, size_t size,
                  uint32_t *count);

/* Completes the claims, when all is packed. */
void tiers_complete(struct tiers *tiers, const struct tiers_claims *claims);

/* Stands before the tasks of a tier in a message. */
struct tiers_run {
    uint32_t tier;
    uint32_t count;
};

#endif
