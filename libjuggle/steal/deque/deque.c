/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleavings, and which atomic operations pair up:
 *
 * Claims. A claim is also a release operation: a thread that sees the tasks gone (deque_tail_count)
 * also sees what the thief wrote before it claimed them.
 *
 * Sharing tasks. The owner writes slots, then moves split up with a release operation on bounds
 * (deque_release). A thief's claim reads bounds with acquire: every task below the split that it
 * reads has been written. Because split and stail are one word, a claim succeeds only if its tasks
 * are shared and unclaimed at that instant, even if the word changed in between.
 *
 * Taking tasks back. The owner moves split down by compare-and-swap (deque_acquire), never below
 * stail: tasks that it takes back cannot be claimed any more, so this needs no order with the
 * thieves' reads.
 *
 * Reusing slots. A thief reads slots, then adds to itail with release (deque_complete). The owner
 * reads itail with acquire, and after it stail (deque_reclaim). A claim moves stail before it moves
 * itail, so itail never exceeds stail. If stail, which is read second, equals itail, which was read
 * first, there was an instant without pending claims, and all positions below are free. To read
 * stail first would be wrong: a later claim may complete before an earlier one, so that itail
 * reaches the old stail while the earlier claim is pending.
 *
 * Growing. The owner copies everything from ctail to head to the next ring, so that both rings hold
 * all tasks that a pending claim may read, then publishes the new ring with release. A thief reads
 * the pointer to the ring, with acquire, after its claim. It may read either ring: the old one is
 * never written again, and the new one already holds the tasks. If only the new ring holds the
 * claimed tasks, the claim has seen a split that was released after the new ring was published, and
 * therefore reads the new ring.
 *
 * Freeing rings. When the owner, after it published a ring, finds an instant without pending claims
 * (deque_reclaim), every later claim reads that ring, so the rings before it are freed. Here the
 * owner stores the ring and then loads bounds, and a thief changes bounds and then loads the ring.
 * All four operations are sequentially consistent, so that at least one side sees what the other
 * one stored.
 *
 * The parts, in this order:
 * - rings
 * - the owner's end
 * - the thieves' end
 */
#include "libjuggle/steal/deque/deque.h"

#include "libjuggle/steal/deque/memory.h"

#include <errno.h>
#include <string.h>

enum { SPLIT_SHIFT = 32, CAPACITY_MIN = 2, SMALL = 64 };

static uint32_t bounds_split(uint64_t bounds)
{
    return (uint32_t)(bounds >> SPLIT_SHIFT);
}

static uint32_t bounds_stail(uint64_t bounds)
{
    return (uint32_t)bounds;
}

static uint32_t bounds_count(uint64_t bounds)
{
    return bounds_split(bounds) - bounds_stail(bounds);
}

static uint64_t bounds_make(uint32_t split, uint32_t stail)
{
    return (uint64_t)split << SPLIT_SHIFT | stail;
}

static uint32_t power_of_two(uint32_t least)
{
    uint32_t power = CAPACITY_MIN;

    while (power < least)
        power *= 2;
    return power;
}

uint32_t deque_capacity_within(size_t stride, uint32_t capacity_first, size_t bytes)
{
    uint32_t capacity = power_of_two(capacity_first);

    while (capacity < DEQUE_CAPACITY_MAX && 2 * (size_t)capacity * stride <= bytes)
        capacity *= 2;
    return capacity;
}

/* ---- rings --------------------------------------------------------------------------------- */

/* A reservation that reaches the end of its ring continues in spare slots behind that end. */
static size_t ring_slots(size_t capacity)
{
    return capacity + (capacity < DEQUE_RESERVE_MAX ? capacity : DEQUE_RESERVE_MAX);
}

static struct deque_ring *ring_open(uint32_t stride, uint32_t capacity, struct deque_ring *previous)
{
    const size_t size = sizeof(struct deque_ring) + ring_slots(capacity) * stride;
    struct deque_ring *ring = memory_reserve(size);

    if (ring) {
        ring->previous = previous;
        ring->memory_size = size;
        ring->capacity = capacity;
        ring->stride = stride;
    }
    return ring;
}

static unsigned char *ring_slot(struct deque_ring *ring, uint32_t position)
{
    return ring->slots + (size_t)(position & (ring->capacity - 1)) * ring->stride;
}

/* Accepts NULL. */
static void rings_close(struct deque_ring *ring)
{
    while (ring) {
        struct deque_ring *previous = ring->previous;

        memory_release(ring, ring->memory_size);
        ring = previous;
    }
}

void deque_init(struct deque *deque, size_t stride, uint32_t capacity_first, size_t bytes)
{
    *deque = (struct deque){
        .stride = (uint32_t)stride,
        .capacity_first = power_of_two(capacity_first),
        .capacity_max = deque_capacity_within(stride, capacity_first, bytes),
    };
}

void deque_close(struct deque *deque)
{
    rings_close(atomic_load_explicit(&deque->tail.ring, memory_order_relaxed));
}

/* ---- the owner's end ----------------------------------------------------------------------- */

static unsigned char *deque_slot(const struct deque *deque, uint32_t position)
{
    return deque->slots + (size_t)(position & (deque->capacity - 1)) * deque->stride;
}

static uint32_t local_count(const struct deque *deque)
{
    return deque->head - deque->split;
}

/* Frees the rings before the one in use: all later claims read that one. */
static void deque_forget(struct deque *deque)
{
    struct deque_ring *ring = atomic_load_explicit(&deque->tail.ring, memory_order_relaxed);

    if (!ring || !ring->previous)
        return;
    rings_close(ring->previous);
    ring->previous = NULL;
}

static void deque_reclaim(struct deque *deque)
{
    uint32_t itail = atomic_load_explicit(&deque->tail.itail, memory_order_acquire);
    uint64_t bounds = atomic_load_explicit(&deque->tail.bounds, memory_order_seq_cst);

    if (itail != bounds_stail(bounds)) {
        (void)HOLDS(&deque->tail.fault, bounds_stail(bounds) - itail <= deque->capacity);
        return;
    }
    deque->ctail = itail;
    deque_forget(deque);
}

static uint32_t held(const struct deque *deque)
{
    return deque->head - deque->ctail;
}

static bool deque_has_room(const struct deque *deque, uint32_t count)
{
    return count <= deque->capacity - held(deque);
}

static bool deque_grow(struct deque *deque)
{
    struct deque_ring *before = atomic_load_explicit(&deque->tail.ring, memory_order_relaxed);
    const uint32_t capacity = before ? 2 * deque->capacity : deque->capacity_first;
    struct deque_ring *ring;

    if (deque->capacity == deque->capacity_max)
        return false;
    ring = ring_open(deque->stride, capacity, before);
    if (!ring)
        return false;
    for (uint32_t position = deque->ctail; position != deque->head; position++)
        memcpy(ring_slot(ring, position), deque_slot(deque, position), deque->stride);
    deque->capacity = capacity;
    deque->slots = ring->slots;
    atomic_store_explicit(&deque->tail.ring, ring, memory_order_seq_cst);
    return true;
}

void *deque_reserve(struct deque *deque, uint32_t count)
{
    if (!HOLDS(&deque->tail.fault, held(deque) <= deque->capacity))
        return NULL;
    if (!deque_has_room(deque, count))
        deque_reclaim(deque);
    while (!deque_has_room(deque, count))
        if (!deque_grow(deque))
            return NULL;
    return deque_slot(deque, deque->head);
}

void deque_commit(struct deque *deque, uint32_t count)
{
    uint32_t to_end = deque->capacity - (deque->head & (deque->capacity - 1));

    /* More cannot have been reserved. */
    if (!HOLDS(&deque->tail.fault, count <= deque->capacity - held(deque)))
        return;
    if (count > to_end)
        memcpy(deque->slots, deque->slots + (size_t)deque->capacity * deque->stride,
               (size_t)(count - to_end) * deque->stride);
    deque->head += count;
    if (deque_count(deque) > deque->held_max)
        deque->held_max = deque_count(deque);
}

/* Checks that only the owner moved the split, and that thieves took nothing beyond it. */
static bool bounds_hold(struct deque *deque, uint64_t bounds)
{
    return HOLDS(&deque->tail.fault, bounds_split(bounds) == deque->split) &&
           HOLDS(&deque->tail.fault, bounds_count(bounds) <= deque->capacity);
}

/* Makes half of the shared tasks local, rounded up. */
static void deque_acquire(struct deque *deque)
{
    uint64_t bounds = atomic_load_explicit(&deque->tail.bounds, memory_order_relaxed);
    uint32_t split, stail;

    do {
        if (!bounds_hold(deque, bounds))
            return;
        stail = bounds_stail(bounds);
        split = deque->split - (deque->split - stail + 1) / 2;
    } while (!atomic_compare_exchange_weak_explicit(&deque->tail.bounds, &bounds,
                                                    bounds_make(split, stail), memory_order_relaxed,
                                                    memory_order_relaxed));
    deque->split = split;
}

/* Copies word by word, because a call of memcpy() would cost more than the copy. Strides are
 * multiples of a word. */
static inline void words_copy(unsigned char *to, const unsigned char *from, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(uint64_t))
        memcpy(to + at, from + at, sizeof(uint64_t));
}

static void slots_copy(const unsigned char *slots, uint32_t capacity, size_t stride, uint32_t first,
                       uint32_t count, unsigned char *tasks)
{
    uint32_t slot = first & (capacity - 1);
    uint32_t before_end = count < capacity - slot ? count : capacity - slot;

    if (count * stride <= SMALL && before_end == count) {
        words_copy(tasks, slots + slot * stride, count * stride);
        return;
    }
    memcpy(tasks, slots + slot * stride, before_end * stride);
    memcpy(tasks + before_end * stride, slots, (count - before_end) * stride);
}

uint32_t deque_pop(struct deque *deque, void *tasks, uint32_t most)
{
    if (local_count(deque) == 0)
        deque_acquire(deque);

    uint32_t count = local_count(deque) < most ? local_count(deque) : most;

    if (count == 0 || !HOLDS(&deque->tail.fault, local_count(deque) <= deque->capacity))
        return 0;
    deque->head -= count;
    slots_copy(deque->slots, deque->capacity, deque->stride, deque->head, count, tasks);
    return count;
}

void deque_release(struct deque *deque, uint32_t count)
{
    uint64_t before;

    if (!HOLDS(&deque->tail.fault, local_count(deque) <= deque->capacity))
        return;
    if (count > local_count(deque))
        count = local_count(deque);
    before = atomic_fetch_add_explicit(&deque->tail.bounds, bounds_make(count, 0),
                                       memory_order_release);
    (void)bounds_hold(deque, before);
    deque->split += count;
}

void deque_share(struct deque *deque, uint32_t keep)
{
    uint32_t local = local_count(deque), shared = deque_tail_count(&deque->tail);

    if (local > keep && shared == 0)
        deque_release(deque, (local - keep + 1) / 2);
    else if (local < keep && shared > 0)
        deque_acquire(deque);
}

/* ---- the thieves' end ---------------------------------------------------------------------- */

uint32_t deque_tail_count(const struct deque_tail *tail)
{
    return bounds_count(atomic_load_explicit(&tail->bounds, memory_order_acquire));
}

uint32_t deque_claim(struct deque_tail *tail, uint32_t most, struct deque_claim *claim)
{
    uint64_t bounds = atomic_load_explicit(&tail->bounds, memory_order_relaxed);
    uint32_t first, count;

    do {
        first = bounds_stail(bounds);
        count = bounds_count(bounds) < most ? bounds_count(bounds) : most;
        if (count == 0 || !HOLDS(&tail->fault, bounds_count(bounds) <= DEQUE_CAPACITY_MAX))
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(
        &tail->bounds, &bounds, bounds_make(bounds_split(bounds), first + count),
        memory_order_seq_cst, memory_order_relaxed));
    *claim = (struct deque_claim){first, count};
    return count;
}

bool deque_copy(struct deque_tail *tail, const struct deque_claim *claim, void *tasks)
{
    const struct deque_ring *ring = atomic_load_explicit(&tail->ring, memory_order_seq_cst);

    if (!HOLDS(&tail->fault, ring != NULL) || !HOLDS(&tail->fault, claim->count <= ring->capacity))
        return false;
    slots_copy(ring->slots, ring->capacity, ring->stride, claim->first, claim->count, tasks);
    return true;
}

void deque_complete(struct deque_tail *tail, const struct deque_claim *claim)
{
    atomic_fetch_add_explicit(&tail->itail, claim->count, memory_order_release);
}
