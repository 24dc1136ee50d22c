/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/runtime/tiers.h"

#include "libjuggle/steal/placement/bins.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLASSES_LOG2 = 2, /* classes for each doubling */
    COST_MIN_LOG2 = 6,
    COST_MAX_LOG2 = 40,
    CAPACITY_FIRST = 64, /* of a tier: there are many tiers, and most hold few tasks */
};

_Static_assert(COST_CLASSES == (COST_MAX_LOG2 - COST_MIN_LOG2) << CLASSES_LOG2,
               "classes cover the range");

/* ---- life ---------------------------------------------------------------------------------- */

int tiers_open(struct tiers *tiers, const struct steal_properties *properties, size_t stride)
{
    const int levels = (int)max_i64(properties->levels, 1);
    const uint32_t first = (uint32_t)min_i64((int64_t)properties->tasks, CAPACITY_FIRST);

    if (!tiers_wanted(properties))
        return 0;
    tiers->classes = properties->weighted ? COST_CLASSES : 1;
    tiers->count = levels * tiers->classes;
    tiers->stride = stride;
    tiers->deque = aligned_alloc(DEQUE_LINE, (size_t)tiers->count * sizeof(*tiers->deque));
    if (!tiers->deque)
        return -ENOMEM;
    for (int tier = 0; tier < tiers->count; tier++)
        deque_init(&tiers->deque[tier], stride, first, properties->memory_max);
    tiers->occupied = calloc(TIER_WORDS, sizeof(*tiers->occupied));
    return tiers->occupied ? 0 : -ENOMEM;
}

void tiers_close(struct tiers *tiers)
{
    for (int tier = 0; tier < tiers->count && tiers->deque; tier++)
        deque_close(&tiers->deque[tier]);
    free(tiers->deque);
    free(tiers->occupied);
}

void tiers_begin(struct tiers *tiers)
{
    for (int tier = 0; tier < tiers->count; tier++)
        tiers->deque[tier].held_max = deque_count(&tiers->deque[tier]);
}

uint32_t tiers_held_max(const struct tiers *tiers)
{
    uint32_t most = 0;

    for (int tier = 0; tier < tiers->count; tier++)
        if (tiers->deque[tier].held_max > most)
            most = tiers->deque[tier].held_max;
    return most;
}

/* ---- places -------------------------------------------------------------------------------- */

int tiers_place(const struct tiers *tiers, int level, int64_t cost)
{
    const int64_t least = INT64_C(1) << COST_MIN_LOG2, most = (INT64_C(1) << COST_MAX_LOG2) - 1;
    const uint32_t class = bins_of(clamp_i64(cost, least, most), CLASSES_LOG2) -
                           bins_of(least, CLASSES_LOG2);

    return level * tiers->classes + (tiers->classes > 1 ? COST_CLASSES - 1 - (int)class : 0);
}

/* What a task of the tier costs, at least. */
static double tier_weight(const struct tiers *tiers, int tier)
{
    const int class = COST_CLASSES - 1 - tier % COST_CLASSES, parts = 1 << CLASSES_LOG2;

    if (tiers->classes == 1)
        return 1;
    return (double)(UINT64_C(1) << (COST_MIN_LOG2 + class / parts)) * (1 + class % parts / 4.0);
}

void tiers_occupy(struct tiers *tiers, int tier)
{
    _Atomic uint64_t *word = &tiers->occupied[tier / 64];
    const uint64_t bits = atomic_load_explicit(word, memory_order_relaxed);

    if (!(bits >> (tier % 64) & 1))
        atomic_store_explicit(word, bits | UINT64_C(1) << (tier % 64), memory_order_release);
}

static void tiers_vacate(struct tiers *tiers, int tier)
{
    _Atomic uint64_t *word = &tiers->occupied[tier / 64];

    atomic_store_explicit(
        word, atomic_load_explicit(word, memory_order_relaxed) & ~(UINT64_C(1) << (tier % 64)),
        memory_order_relaxed);
}

/* The first tier, from that one on, that may hold tasks; `count` if there is none. */
static int tiers_next(const struct tiers *tiers, int tier)
{
    for (int word = tier / 64; word <= (tiers->count - 1) / 64; word++) {
        uint64_t bits = atomic_load_explicit(&tiers->occupied[word], memory_order_acquire);

        if (word == tier / 64)
            bits &= UINT64_MAX << (tier % 64);
        if (bits)
            return word * 64 + __builtin_ctzll(bits);
    }
    return tiers->count;
}

uint32_t tiers_count(const struct tiers *tiers)
{
    uint32_t count = 0;

    for (int tier = tiers_next(tiers, 0); tier < tiers->count; tier = tiers_next(tiers, tier + 1))
        count += deque_count(&tiers->deque[tier]);
    return count;
}

uint32_t tiers_shared(const struct tiers *tiers)
{
    uint32_t count = 0;

    for (int tier = tiers_next(tiers, 0); tier < tiers->count; tier = tiers_next(tiers, tier + 1))
        count += deque_tail_count(&tiers->deque[tier].tail);
    return count;
}

/* ---- the owner's end ----------------------------------------------------------------------- */

uint32_t tiers_pop(struct tiers *tiers, unsigned char *tasks, uint32_t most)
{
    uint32_t popped = 0;
    int tier = tiers_next(tiers, 0);

    while (popped < most && tier < tiers->count) {
        const uint32_t count = deque_pop(&tiers->deque[tier], tasks + popped * tiers->stride,
                                         most - popped);

        popped += count;
        if (count > 0)
            continue;
        tiers_vacate(tiers, tier);
        tier = tiers_next(tiers, tier + 1);
    }
    return popped;
}

void tiers_share(struct tiers *tiers, uint32_t keep)
{
    const bool enough = tiers_count(tiers) > keep;

    for (int tier = tiers_next(tiers, 0); tier < tiers->count; tier = tiers_next(tiers, tier + 1))
        if (enough)
            deque_share(&tiers->deque[tier], 0);
}

/* ---- parts --------------------------------------------------------------------------------- */

/* What is given so far is never further from the fraction than half of a task. */
uint32_t tiers_portion(const struct tiers *tiers, struct tiers_part *part, int tier, uint32_t count)
{
    const double weight = tier_weight(tiers, tier);
    double portion;

    if (part->fraction == 0) {
        count = (uint32_t)min_i64(count, part->most);
        part->most -= count;
        return count;
    }
    part->seen += count * weight;
    portion = (part->fraction * part->seen - part->given) / weight + 0.5;
    count = portion < 1 ? 0 : (uint32_t)min_i64((int64_t)portion, count);
    part->given += count * weight;
    return count;
}

uint32_t tiers_claim(struct tiers *tiers, bool all, struct tiers_part *part,
                     struct tiers_claims *claims)
{
    uint32_t claimed = 0;

    for (int tier = 0; tier < tiers->count; tier++)
        claims->claim[tier].count = 0;
    for (int tier = tiers_next(tiers, 0); tier < tiers->count; tier = tiers_next(tiers, tier + 1)) {
        struct deque *deque = &tiers->deque[tier];
        const uint32_t shared = deque_tail_count(&deque->tail);
        const uint32_t want = tiers_portion(tiers, part, tier, all ? deque_count(deque) : shared);

        if (want > shared)
            deque_release(deque, want - shared);
        if (want > 0)
            claimed += deque_claim(&deque->tail, want, &claims->claim[tier]);
    }
    claims->left = claimed;
    claims->tier = 0;
    claims->done = 0;
    return claimed;
}

/* Goes to the next tier with tasks if the one at hand is packed; false if there is none. */
static bool claims_next(const struct tiers *tiers, struct tiers_claims *claims)
{
    while (claims->tier < tiers->count && claims->done == claims->claim[claims->tier].count) {
        claims->tier++;
        claims->done = 0;
    }
    return claims->tier < tiers->count;
}

size_t tiers_pack(struct tiers *tiers, struct tiers_claims *claims, void *room, size_t size,
                  uint32_t *count)
{
    const size_t stride = tiers->stride;
    size_t used = 0;

    *count = 0;
    while (claims_next(tiers, claims) && used + sizeof(struct tiers_run) + stride <= size) {
        const struct deque_claim *claim = &claims->claim[claims->tier];
        const size_t fits = (size - used - sizeof(struct tiers_run)) / stride;
        const struct tiers_run run = {
            (uint32_t)claims->tier, (uint32_t)min_i64(claim->count - claims->done, (int64_t)fits)};
        const struct deque_claim part = {claim->first + claims->done, run.count};

        memcpy((char *)room + used, &run, sizeof(run));
        used += sizeof(run);
        if (!deque_copy(&tiers->deque[claims->tier].tail, &part, (char *)room + used))
            return 0;
        used += run.count * stride;
        claims->done += run.count;
        claims->left -= run.count;
        *count += run.count;
    }
    return used;
}

void tiers_complete(struct tiers *tiers, const struct tiers_claims *claims)
{
    for (int tier = 0; tier < tiers->count; tier++)
        if (claims->claim[tier].count > 0)
            deque_complete(&tiers->deque[tier].tail, &claims->claim[tier]);
}
