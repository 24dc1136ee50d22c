/* SPDX-License-Identifier: BSD-3-Clause */
/* The event queue compared with the simplest possible queue. */
#include "tests/lib/suite.h"

#include "libjuggle/ground/prng.h"
#include "tools/steal-sim/event_queue.h"

#include <stdbool.h>

enum { PENDING_MAX = 3000, STEPS = 60000 };

/* Holds them in the order in which they were added. */
struct plain {
    struct rank_event list[PENDING_MAX];
    size_t count;
};

static struct rank_event plain_take(struct plain *plain)
{
    size_t first = 0;

    for (size_t i = 1; i < plain->count; i++)
        if (plain->list[i].time_ns < plain->list[first].time_ns)
            first = i;

    struct rank_event event = plain->list[first];

    plain->count--;
    for (size_t i = first; i < plain->count; i++)
        plain->list[i] = plain->list[i + 1];
    return event;
}

struct walk {
    struct plain plain;
    struct event_queue queue;
    struct prng prng;
    int64_t now_ns;
    uint32_t added;
};

static void walk_add(struct walk *walk, int64_t delay_ns)
{
    struct rank_event event = {walk->now_ns + delay_ns, (int32_t)(walk->added % 7), walk->added};

    walk->added++;
    walk->plain.list[walk->plain.count++] = event;
    ck_assert_int_eq(event_queue_add(&walk->queue, event), 0);
}

static void walk_take(struct walk *walk)
{
    struct rank_event expected = plain_take(&walk->plain);
    struct rank_event found;

    ck_assert_int_eq(event_queue_take(&walk->queue, &found), 1);
    REQUIRE(found.what == expected.what && found.time_ns == expected.time_ns &&
                found.rank == expected.rank,
            "%u at %ld instead of %u at %ld", found.what, (long)found.time_ns, expected.what,
            (long)expected.time_ns);
    walk->now_ns = found.time_ns;
}

static void walk_end(struct walk *walk)
{
    struct rank_event none;

    while (walk->plain.count > 0)
        walk_take(walk);
    ck_assert_int_eq(event_queue_take(&walk->queue, &none), 0);
    event_queue_free(&walk->queue);
}

/* Delays are below a bound that changes: many events are simultaneous, others are far apart. */
static int64_t some_delay(struct walk *walk)
{
    static const uint64_t bounds[] = {1, 3, 100, 20000, 50000000, UINT64_C(1) << 40};

    return (int64_t)prng_below(&walk->prng, bounds[prng_below(&walk->prng, ARRAY_COUNT(bounds))]);
}

static void expect_order(uint64_t seed, size_t pending)
{
    static struct walk walk;

    walk = (struct walk){.added = 0};
    prng_seed(&walk.prng, seed);
    for (int step = 0; step < STEPS; step++) {
        bool more = walk.plain.count < pending && prng_below(&walk.prng, 3) > 0;

        if (more || walk.plain.count == 0)
            walk_add(&walk, some_delay(&walk));
        else
            walk_take(&walk);
    }
    walk_end(&walk);
}

START_TEST(what_was_added_first_of_one_time_comes_first)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        expect_order(seed, 1);
        expect_order(seed, 20);
        expect_order(seed, 300);
    }
}

START_TEST(a_crowd_at_one_time_keeps_its_order)
{
    static struct walk walk;

    walk = (struct walk){.added = 0};
    for (int i = 0; i < PENDING_MAX; i++)
        walk_add(&walk, i % 3 * 1000);
    walk_end(&walk);
}

START_TEST(what_is_peeked_at_is_taken_next)
{
    struct event_queue queue = {.at = 0};
    struct rank_event taken;

    ck_assert_ptr_null(event_queue_peek(&queue, 0));
    for (uint32_t i = 0; i < 5 * EVENT_QUEUE_AHEAD; i++)
        ck_assert_int_eq(event_queue_add(&queue, (struct rank_event){1000 - 10 * (int64_t)i, 0, i}),
                         0);
    ck_assert_int_eq(event_queue_take(&queue, &taken), 1);
    while (taken.what > EVENT_QUEUE_AHEAD) {
        for (size_t ahead = 0; ahead < EVENT_QUEUE_AHEAD; ahead++)
            ck_assert_uint_eq(event_queue_peek(&queue, ahead)->what, taken.what - ahead - 1);
        ck_assert_int_eq(event_queue_take(&queue, &taken), 1);
    }
    event_queue_free(&queue);
}

SUITE("event queue")
