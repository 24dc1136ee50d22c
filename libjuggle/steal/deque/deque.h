/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The split deque of one worker (work stealing paper, section 6): its owner works at the head
 * without synchronization, and shares the other end with thieves.
 *
 *      ctail        stail             split            head
 *        | being      | shared: anyone  | local: the     |
 *        | copied out | may claim       | owner's alone  |
 *
 * Positions count tasks since the beginning, modulo 2^32; a position's slot is its remainder by the
 * capacity, a power of two. A steal has two phases: deque_claim() takes tasks off the shared part
 * in one instruction, then the thief copies them at leisure and calls deque_complete(). Any number
 * of claims may be pending and complete in any order. The slots of completed claims are the owner's
 * again (ctail moves up) when it sees none pending: itail, the number of tasks completed, has
 * caught up with stail.
 *
 * Where the paper takes a lock to claim or to acquire, one compare-and-swap does it here, because
 * split and stail are one 64-bit word.
 *
 * Which calls may overlap, on one deque (owner: the thread that adds tasks; each pair both ways):
 *
 *                     owner's calls   claim   copy   complete   count
 *      owner's calls       no          yes     yes     yes       yes
 *      claim                           yes     yes     yes       yes
 *      copy                                    yes     yes*      yes
 *      complete                                        yes*      yes
 *
 * (*) of different claims; each claim is copied, then completed, by one thread.
 *
 * A ring is made when the first task comes, and a full one is followed by one of twice the size
 * while memory lasts; its predecessors are given back once no claim can read them.
 */
#ifndef JUGGLE_STEAL_DEQUE_DEQUE_H
#define JUGGLE_STEAL_DEQUE_DEQUE_H

#include "libjuggle/ground/fault.h"
#include "libjuggle/ground/units.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    DEQUE_LINE = 64,          /* bytes that processors exchange: what thieves write stands apart */
    DEQUE_RESERVE_MAX = 1024, /* tasks that one reservation can hold */
    DEQUE_CAPACITY_MAX = 1 << 30, /* positions must never be ambiguous modulo 2^32 */
};

/* Slots for tasks, a power of two, and spare ones. */
struct deque_ring {
    struct deque_ring *previous; /* that claims may still read, or NULL */
    size_t memory_size;
    uint32_t capacity;
    uint32_t stride; /* bytes from task to task */
    unsigned char slots[];
};

/* The end that thieves see. */
struct deque_tail {
    _Alignas(DEQUE_LINE) _Atomic uint64_t bounds; /* split in the upper half, stail in the lower */
    _Alignas(DEQUE_LINE) _Atomic uint32_t itail;
    struct deque_ring *_Atomic ring; /* the ring in use; NULL before the first task */
    struct fault fault; /* a check of positions failed: what was wanted is left undone */
};

/* The owner's end. */
struct deque {
    struct deque_tail tail;
    _Alignas(DEQUE_LINE) unsigned char *slots; /* of the ring in use */
    uint32_t stride;
    uint32_t capacity;
    uint32_t head;
    uint32_t split; /* the same as in bounds: only the owner changes it */
    uint32_t ctail;
    uint32_t held_max;
    uint32_t capacity_first;
    uint32_t capacity_max; /* tasks that it can hold at most, once grown */
};

struct deque_claim {
    uint32_t first;
    uint32_t count;
};

/* The greatest capacity whose tasks take no more than `bytes`, but at least that of the first ring.
 */
uint32_t deque_capacity_within(size_t stride, uint32_t capacity_first, size_t bytes);

/* `stride` is a multiple of 8, at most 65536; `capacity_first` is rounded up to a power of two, at
 * most DEQUE_CAPACITY_MAX. Rings grow up to the capacity within `bytes`. */
void deque_init(struct deque *deque, size_t stride, uint32_t capacity_first, size_t bytes);

/* Nobody claims any more. */
void deque_close(struct deque *deque);

/* Tasks that are not claimed. Exact for the owner while nobody claims. */
static inline uint32_t deque_count(const struct deque *deque)
{
    return deque->head - (uint32_t)atomic_load_explicit(&deque->tail.bounds, memory_order_relaxed);
}

/* Whether only memory is missing where deque_reserve() returns NULL. */
static inline bool deque_may_grow(const struct deque *deque)
{
    return deque->capacity < deque->capacity_max;
}

/* Room for `count` tasks, 1 to DEQUE_RESERVE_MAX, in one piece; NULL if there is none.
 * It is lost unless deque_commit() follows at once. */
void *deque_reserve(struct deque *deque, uint32_t count);

/* The same for one task, if there is room for it already: what adding a task costs otherwise is
 * mostly calls. */
static inline void *deque_reserve_one(const struct deque *deque)
{
    if (deque->head - deque->ctail >= deque->capacity)
        return NULL;
    return deque->slots + (size_t)(deque->head & (deque->capacity - 1)) * deque->stride;
}

/* As deque_commit() of one. */
static inline void deque_commit_one(struct deque *deque)
{
    deque->head++;
    if (deque_count(deque) > deque->held_max)
        deque->held_max = deque_count(deque);
}

/* Puts the first `count` reserved tasks on the head, where they are local. */
void deque_commit(struct deque *deque, uint32_t count);

/* Moves up to `most` of the latest tasks to `tasks`, the latest one last; returns how many. They
 * come from the local part; when that is empty, half of the shared one becomes local first. */
uint32_t deque_pop(struct deque *deque, void *tasks, uint32_t most);

/* Lets thieves have the `count` oldest local tasks, or all if there are fewer. */
void deque_release(struct deque *deque, uint32_t count);

/* If thieves have nothing to take, releases half of the local tasks beyond `keep`, rounded up. If
 * fewer than `keep` are local, takes back half of what thieves have not taken, rounded up. */
void deque_share(struct deque *deque, uint32_t keep);

/* Tasks that can be claimed now. */
uint32_t deque_tail_count(const struct deque_tail *tail);

/* Takes up to `most` of the oldest shared tasks; returns how many. Unless it is 0, deque_complete()
 * must follow. */
uint32_t deque_claim(struct deque_tail *tail, uint32_t most, struct deque_claim *claim);

/* False: a check failed, and nothing was copied. */
bool deque_copy(struct deque_tail *tail, const struct deque_claim *claim, void *tasks) MUST_CHECK;

/* Ends a claim: its tasks are not read any more. */
void deque_complete(struct deque_tail *tail, const struct deque_claim *claim);

#endif
