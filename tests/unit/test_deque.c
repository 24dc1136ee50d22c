/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The deque alone, and under threads. In the threaded tests one owner adds and pops while thieves
 * claim, copy and complete; each task carries its number, and each number must come out once. Run
 * them under ThreadSanitizer (make SAN=thread check-unit) to test the memory orders too.
 */
#include "tests/lib/suite.h"

#include "libjuggle/ground/prng.h"
#include "libjuggle/steal/deque/deque.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { CAPACITY = 4, THIEVES = 3, TASKS = 60000, CLAIM_MAX = 16 };

static void open_deque(struct deque *deque, uint32_t capacity_first, uint32_t capacity_last)
{
    deque_init(deque, sizeof(uint64_t), capacity_first, capacity_last * sizeof(uint64_t));
}

static bool push(struct deque *deque, uint64_t value)
{
    uint64_t *task = deque_reserve(deque, 1);

    if (!task)
        return false;
    *task = value;
    deque_commit(deque, 1);
    return true;
}

static uint64_t pop(struct deque *deque)
{
    uint64_t value;

    ck_assert_uint_eq(deque_pop(deque, &value, 1), 1);
    return value;
}

START_TEST(owner_sees_a_stack)
{
    struct deque deque;

    open_deque(&deque, CAPACITY, CAPACITY);
    for (uint64_t value = 1; value <= CAPACITY; value++)
        ck_assert(push(&deque, value));
    ck_assert(!push(&deque, 99));
    ck_assert_uint_eq(deque_count(&deque), CAPACITY);
    for (uint64_t value = CAPACITY; value >= 1; value--)
        ck_assert_uint_eq(pop(&deque), value);
    ck_assert_uint_eq(deque_pop(&deque, &(uint64_t){0}, 1), 0);
    deque_close(&deque);
}

START_TEST(thief_takes_the_oldest)
{
    struct deque deque;
    struct deque_claim claim;
    uint64_t stolen[2];

    open_deque(&deque, CAPACITY, CAPACITY);
    for (uint64_t value = 1; value <= CAPACITY; value++)
        ck_assert(push(&deque, value));
    ck_assert_uint_eq(deque_claim(&deque.tail, 1, &claim), 0);
    deque_share(&deque, 0);
    ck_assert_uint_eq(deque_claim(&deque.tail, 9, &claim), 2);
    ck_assert(deque_copy(&deque.tail, &claim, stolen));
    deque_complete(&deque.tail, &claim);
    ck_assert_uint_eq(stolen[0], 1);
    ck_assert_uint_eq(stolen[1], 2);
    ck_assert_uint_eq(pop(&deque), 4);
    deque_close(&deque);
}

START_TEST(owner_takes_back_what_he_is_short_of)
{
    struct deque deque;

    open_deque(&deque, CAPACITY, CAPACITY);
    for (uint64_t value = 1; value <= CAPACITY; value++)
        ck_assert(push(&deque, value));
    deque_release(&deque, 3);
    deque_share(&deque, 1);
    ck_assert_uint_eq(deque_tail_count(&deque.tail), 3);
    deque_share(&deque, 2);
    ck_assert_uint_eq(deque_tail_count(&deque.tail), 1);
    deque_share(&deque, 2);
    ck_assert_uint_eq(deque_tail_count(&deque.tail), 1);
    ck_assert_uint_eq(deque_count(&deque), CAPACITY);
    deque_close(&deque);
}

START_TEST(room_of_a_claim_is_kept_until_no_claim_is_pending)
{
    struct deque deque;
    struct deque_claim early, late;
    uint64_t stolen;

    open_deque(&deque, CAPACITY, CAPACITY);
    for (uint64_t value = 1; value <= CAPACITY; value++)
        ck_assert(push(&deque, value));
    deque_release(&deque, 2);
    ck_assert_uint_eq(deque_claim(&deque.tail, 1, &early), 1);
    ck_assert_uint_eq(deque_claim(&deque.tail, 1, &late), 1);
    deque_complete(&deque.tail, &late);
    ck_assert(!push(&deque, 5));
    ck_assert(deque_copy(&deque.tail, &early, &stolen));
    ck_assert_uint_eq(stolen, 1);
    deque_complete(&deque.tail, &early);
    ck_assert(push(&deque, 5));
    deque_close(&deque);
}

START_TEST(growing_keeps_pending_claims_readable)
{
    struct deque deque;
    struct deque_claim claim;
    uint64_t stolen[2];

    open_deque(&deque, CAPACITY, 16 * CAPACITY);
    for (uint64_t value = 1; value <= CAPACITY; value++)
        ck_assert(push(&deque, value));
    deque_release(&deque, 2);
    ck_assert_uint_eq(deque_claim(&deque.tail, 2, &claim), 2);
    for (uint64_t value = CAPACITY + 1; value <= 16 * CAPACITY; value++)
        ck_assert(push(&deque, value));
    ck_assert(!push(&deque, 99));
    ck_assert(deque_copy(&deque.tail, &claim, stolen));
    ck_assert_uint_eq(stolen[0], 1);
    ck_assert_uint_eq(stolen[1], 2);
    for (uint64_t value = 16 * CAPACITY; value > 2; value--)
        ck_assert_uint_eq(pop(&deque), value);
    deque_close(&deque);
}

START_TEST(reservations_are_in_one_piece_across_the_end)
{
    struct deque deque;
    struct deque_claim claim;
    uint64_t *tasks, popped[8], stolen[8];

    open_deque(&deque, 8, 8);
    for (int lap = 0; lap < 100; lap++) {
        tasks = deque_reserve(&deque, 7);
        ck_assert_ptr_nonnull(tasks);
        for (uint64_t i = 0; i < 7; i++)
            tasks[i] = 10 * i;
        deque_commit(&deque, 5);
        deque_release(&deque, 3);
        ck_assert_uint_eq(deque_claim(&deque.tail, 8, &claim), 3);
        ck_assert(deque_copy(&deque.tail, &claim, stolen));
        deque_complete(&deque.tail, &claim);
        ck_assert_uint_eq(stolen[0], 0);
        ck_assert_uint_eq(stolen[2], 20);
        ck_assert_uint_eq(deque_pop(&deque, popped, 8), 2);
        ck_assert_uint_eq(popped[0], 30);
        ck_assert_uint_eq(popped[1], 40);
    }
    ck_assert_uint_eq(deque.held_max, 5);
    deque_close(&deque);
}

START_TEST(an_empty_deque_has_no_ring)
{
    struct deque deque;
    struct deque_claim claim;

    open_deque(&deque, CAPACITY, 4 * CAPACITY);
    ck_assert_uint_eq(deque.capacity_max, 4 * CAPACITY);
    ck_assert_uint_eq(deque_count(&deque), 0);
    deque_share(&deque, 1);
    ck_assert_uint_eq(deque_pop(&deque, &(uint64_t){0}, 1), 0);
    ck_assert_uint_eq(deque_claim(&deque.tail, 1, &claim), 0);
    ck_assert_ptr_null(deque.tail.ring);
    ck_assert(push(&deque, 7));
    ck_assert_uint_eq(deque.tail.ring->capacity, CAPACITY);
    ck_assert_uint_eq(pop(&deque), 7);
    deque_close(&deque);
}

START_TEST(rings_that_no_claim_can_read_are_given_back)
{
    struct deque deque;
    struct deque_claim claim;

    open_deque(&deque, CAPACITY, 16 * CAPACITY);
    for (uint64_t value = 1; value <= CAPACITY; value++)
        ck_assert(push(&deque, value));
    deque_release(&deque, 2);
    ck_assert_uint_eq(deque_claim(&deque.tail, 1, &claim), 1);
    for (uint64_t value = CAPACITY + 1; value <= 4 * CAPACITY; value++)
        ck_assert(push(&deque, value));
    ck_assert_uint_eq(deque.tail.ring->capacity, 4 * CAPACITY);
    ck_assert_ptr_nonnull(deque.tail.ring->previous);
    deque_complete(&deque.tail, &claim);
    ck_assert(push(&deque, 0));
    ck_assert_uint_eq(deque.tail.ring->capacity, 4 * CAPACITY);
    ck_assert_ptr_null(deque.tail.ring->previous);
    deque_close(&deque);
}

struct party {
    struct deque *deque; /* the owner's */
    struct deque_tail *tail;
    _Atomic bool over;
    _Atomic unsigned char seen[TASKS];
};

static void party_see(struct party *party, const uint64_t *tasks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        atomic_fetch_add_explicit(&party->seen[tasks[i]], 1, memory_order_relaxed);
}

static void *thief_main(void *context)
{
    struct party *party = context;
    struct deque_claim claim;
    uint64_t stolen[CLAIM_MAX];
    struct prng prng;

    prng_seed(&prng, (uintptr_t)&claim);
    while (!atomic_load_explicit(&party->over, memory_order_acquire)) {
        uint32_t most = 1 + (uint32_t)prng_below(&prng, CLAIM_MAX);
        uint32_t count = deque_claim(party->tail, most, &claim);

        if (count == 0) {
            sched_yield();
            continue;
        }
        ck_assert(deque_copy(party->tail, &claim, stolen));
        deque_complete(party->tail, &claim);
        party_see(party, stolen, count);
    }
    return NULL;
}

/* Adds all tasks in spurts, popping some in between, then pops what thieves leave. */
static void owner_main(struct party *party)
{
    struct prng prng;
    uint64_t tasks[CLAIM_MAX];
    uint64_t next = 0;

    prng_seed(&prng, 1);
    while (next < TASKS || deque_count(party->deque) > 0) {
        for (uint64_t spurt = prng_below(&prng, 40); spurt > 0 && next < TASKS; spurt--)
            if (push(party->deque, next))
                next++;
        deque_share(party->deque, 0);
        party_see(party, tasks, deque_pop(party->deque, tasks, 1 + (uint32_t)prng_below(&prng, 8)));
    }
}

static void party_run(uint32_t first, uint32_t last)
{
    static struct party party;
    struct deque deque;
    pthread_t thread[THIEVES];

    open_deque(&deque, first, last);
    memset(&party, 0, sizeof(party));
    party.deque = &deque;
    party.tail = &deque.tail;
    for (int i = 0; i < THIEVES; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, thief_main, &party), 0);
    owner_main(&party);
    atomic_store_explicit(&party.over, true, memory_order_release);
    for (int i = 0; i < THIEVES; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < TASKS; i++)
        ck_assert_msg(party.seen[i] == 1, "task %d came out %d times", i, party.seen[i]);
    deque_close(&deque);
}

START_TEST(thieves_and_owner_share_every_task_once)
{
    party_run(16, 16);
}

START_TEST(nothing_is_lost_while_the_deque_grows)
{
    party_run(2, 1 << 20);
}

SUITE("deque")
