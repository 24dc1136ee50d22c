/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tasks of one worker by what comes first: a deque for each level and each class of costs, the
 * best first. As costs of a class are alike within a quarter, a part of each class is that part of
 * the work, and nobody has to sort.
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
    int classes;                /* of each level: COST_CLASSES, or 1 where tasks have no costs */
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

/* A new account of how full they get. */
void tiers_begin(struct tiers *tiers);

/* The fullest that one of them was. */
uint32_t tiers_held_max(const struct tiers *tiers);

/* Where a task goes. */
int tiers_place(const struct tiers *tiers, int level, int64_t cost);

/* By the owner: the tier may hold something from now on. */
void tiers_occupy(struct tiers *tiers, int tier);

/* Tasks that are not claimed, by the owner; that can be claimed, by anybody. */
uint32_t tiers_count(const struct tiers *tiers);
uint32_t tiers_shared(const struct tiers *tiers);

/* By the owner: as deque_pop(), of the best tiers. */
uint32_t tiers_pop(struct tiers *tiers, unsigned char *tasks, uint32_t most);

/* By the owner: as deque_share(), of each tier. */
void tiers_share(struct tiers *tiers, uint32_t keep);

/* Which part of each tier somebody is to get. */
struct tiers_part {
    double fraction; /* of the work; 0: the best `most` tasks */
    uint32_t most;
    double seen, given; /* work */
};

/* Of the `count` tasks of that tier; to be asked from the best tier on. */
uint32_t tiers_portion(const struct tiers *tiers, struct tiers_part *part, int tier,
                       uint32_t count);

/* What was claimed to be sent. */
struct tiers_loot {
    struct deque_claim claim[TIERS_MAX];
    uint32_t left; /* to be packed */
    int tier;      /* of which `done` are packed */
    uint32_t done;
};

/* Claims a part of what is shared, or by the owner of all; returns how much. */
uint32_t tiers_claim(struct tiers *tiers, bool all, struct tiers_part *part,
                     struct tiers_loot *loot);

/* Copies as many of them to `room` as fit, as runs of a tier; says how many, returns the bytes;
 * 0: a check of a deque failed. */
size_t tiers_pack(struct tiers *tiers, struct tiers_loot *loot, void *room, size_t size,
                  uint32_t *count);

/* All is packed. */
void tiers_complete(struct tiers *tiers, const struct tiers_loot *loot);

/* Stands before the tasks of a tier in a message. */
struct tiers_run {
    uint32_t tier;
    uint32_t count;
};

#endif
