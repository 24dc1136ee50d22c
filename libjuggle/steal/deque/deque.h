/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The split deque of one worker (work stealing paper, section 6): its owner adds and takes tasks at
 * the head without synchronization; thieves take shared tasks at the other end.
 *
 *      ctail        stail             split            head
 *        | being      | shared: anyone  | local: the     |
 *        | copied out | may claim       | owner's alone  |
 *
 * A position is a number of tasks since the beginning, modulo 2^32; its slot is the position modulo
 * the capacity, a power of two. A steal has two phases: deque_claim() takes tasks off the shared
 * part with one compare-and-swap, then the thief copies them with deque_copy() and calls
 * deque_complete(). Any number of claims may be pending and complete in any order. The owner reuses
 * the slots of completed claims (it moves ctail up) when it sees that no claim is pending: itail,
 * the number of tasks whose claims are complete, equals stail.
 *
 * The paper takes a lock to claim or to acquire; here one compare-and-swap is enough, because split
 * and stail are one 64-bit word.
 *
 * Which calls may overlap, on one deque (the owner is the thread that adds tasks; the table is
 * symmetric):
 *
 *                     owner's calls   claim   copy   complete   count
 *      owner's calls       no          yes     yes     yes       yes
 *      claim                           yes     yes     yes       yes
 *      copy                                    yes     yes*      yes
 *      complete                                        yes*      yes
 *
 * (*) for different claims; one thread copies a claim, then completes it.
 *
 * The first ring is allocated when the first task is added. A full ring is replaced by one of twice
 * the capacity, up to capacity_max; the old rings are freed once no claim can read them.
 */
#ifndef JUGGLE_STEAL_DEQUE_DEQUE_H
#define JUGGLE_STEAL_DEQUE_DEQUE_H

#include "libjuggle/ground/fault.h"
#include "libjuggle/ground/units.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    DEQUE_LINE = 64,          /* cache line in bytes: fields that thieves write have their own */
    DEQUE_RESERVE_MAX = 1024, /* tasks that one reservation can hold */
    DEQUE_CAPACITY_MAX = 1 << 30, /* keeps positions unambiguous modulo 2^32 */
};

/* A ring of slots for tasks; behind them lie spare slots for reservations that reach its end. */
struct deque_ring {
    struct deque_ring *previous; /* the ring before, which claims may still read, or NULL */
    size_t memory_size;
    uint32_t capacity;
    uint32_t stride; /* bytes from task to task */
    unsigned char slots[];
};

/* The end that thieves access. */
struct deque_tail {
    _Alignas(DEQUE_LINE) _Atomic uint64_t bounds; /* split in the upper half, stail in the lower */
    _Alignas(DEQUE_LINE) _Atomic uint32_t itail;
    struct deque_ring *_Atomic ring; /* the ring in use; NULL before the first task */
    struct fault fault;              /* a check of positions failed: that operation had no effect */
};

/* The owner's end. */
struct deque {
    struct deque_tail tail;
    _Alignas(DEQUE_LINE) unsigned char *slots; /* slots of the ring in use */
    uint32_t stride;
    uint32_t capacity;
    uint32_t head;
    uint32_t split; /* equal to the split in bounds: only the owner changes it */
    uint32_t ctail;
    uint32_t held_max;
    uint32_t capacity_first;
    uint32_t capacity_max; /* most tasks that the deque can hold, once grown */
};

struct deque_claim {
    uint32_t first;
    uint32_t count;
};

/* Returns the greatest capacity whose tasks fit in `bytes`, but at least that of the first ring. */
uint32_t deque_capacity_within(size_t stride, uint32_t capacity_first, size_t bytes);

/* `stride` is a multiple of 8, at most 65536; `capacity_first` is rounded up to a power of two, at
 * most DEQUE_CAPACITY_MAX. Rings grow up to the capacity within `bytes`. */
void deque_init(struct deque *deque, size_t stride, uint32_t capacity_first, size_t bytes);

/* Frees all rings. No thief may claim any more. */
void deque_close(struct deque *deque);

/* Number of tasks that are not claimed. Exact for the owner while no thief claims. */
static inline uint32_t deque_count(const struct deque *deque)
{
    return deque->head - (uint32_t)atomic_load_explicit(&deque->tail.bounds, memory_order_relaxed);
}

/* If deque_reserve() returned NULL: true if there was no memory, false if capacity_max is
 * reached. */
static inline bool deque_may_grow(const struct deque *deque)
{
    return deque->capacity < deque->capacity_max;
}

/* Returns room for `count` tasks, 1 to DEQUE_RESERVE_MAX, in one piece; NULL if there is none. The
 * room is lost unless deque_commit() follows at once. */
void *deque_reserve(struct deque *deque, uint32_t count);

/* Like deque_reserve() for one task, but returns NULL if the ring would have to be reclaimed or to
 * grow. Inline, because function calls are most of the cost of adding a task. */
static inline void *deque_reserve_one(const struct deque *deque)
{
    if (deque->head - deque->ctail >= deque->capacity)
        return NULL;
    return deque->slots + (size_t)(deque->head & (deque->capacity - 1)) * deque->stride;
}

/* Like deque_commit() of one task. */
static inline void deque_commit_one(struct deque *deque)
{
    deque->head++;
    if (deque_count(deque) > deque->held_max)
        deque->held_max = deque_count(deque);
}

/* Adds the first `count` reserved tasks at the head, as local tasks. */
void deque_commit(struct deque *deque, uint32_t count);

/* Moves up to `most` of the latest tasks to `tasks`, the latest one last; returns how many. They
 * come from the local part; if that is empty, half of the shared part becomes local first. */
uint32_t deque_pop(struct deque *deque, void *tasks, uint32_t most);

/* Shares the `count` oldest local tasks with thieves, or all if there are fewer. */
void deque_release(struct deque *deque, uint32_t count);

/* If no task is shared, shares half of the local tasks beyond `keep`, rounded up. If fewer than
 * `keep` tasks are local, takes back half of the shared tasks, rounded up. */
void deque_share(struct deque *deque, uint32_t keep);

/* Number of tasks that can be claimed now. */
uint32_t deque_tail_count(const struct deque_tail *tail);

/* Claims up to `most` of the oldest shared tasks; returns how many. Unless it is 0,
 * deque_complete() must follow. */
uint32_t deque_claim(struct deque_tail *tail, uint32_t most, struct deque_claim *claim);

/* Copies the claimed tasks to `tasks`. Returns false if a check failed; nothing is copied then. */
bool deque_copy(struct deque_tail *tail, const struct deque_claim *claim, void *tasks) MUST_CHECK;

/* Ends a claim: the thief does not read its slots any more. */
void deque_complete(struct deque_tail *tail, const struct deque_claim *claim);

#endif
