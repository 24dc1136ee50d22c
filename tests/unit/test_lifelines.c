/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of lifelines: every rank is reached from every other, and few ranks wait for any
 * one. */
#include "tests/lib/chance.h"

#include "libjuggle/steal/protocol/lifelines.h"

#include <string.h>

enum { RANKS_MAX = 130 };

/* Returns how many ranks can be reached from `start` along lifelines. */
static int reached_from(const struct lifelines *lifelines, int start)
{
    int queue[RANKS_MAX] = {start}, count = 1;
    bool seen[RANKS_MAX] = {false};

    seen[start] = true;
    for (int at = 0; at < count; at++)
        for (int edge = 0; edge < lifelines[queue[at]].count; edge++) {
            int to = lifelines[queue[at]].to[edge];

            if (!seen[to])
                queue[count++] = to;
            seen[to] = true;
        }
    return count;
}

static void expect_graph(int count, int radix, int ranks)
{
    struct lifelines lifelines[RANKS_MAX];
    int incoming[RANKS_MAX] = {0};

    for (int rank = 0; rank < ranks; rank++) {
        lifelines_init(&lifelines[rank], count, radix, rank, ranks);
        ck_assert_int_le(lifelines[rank].count, count);
        for (int edge = 0; edge < lifelines[rank].count; edge++) {
            ck_assert_int_ne(lifelines[rank].to[edge], rank);
            ck_assert_int_le(++incoming[lifelines[rank].to[edge]], count);
        }
    }
    for (int rank = 0; rank < ranks; rank++)
        ck_assert_msg(reached_from(lifelines, rank) == ranks, "%d^%d, %d ranks: not from %d", radix,
                      count, ranks, rank);
}

START_TEST(every_rank_is_reached)
{
    for (int ranks = 1; ranks <= RANKS_MAX; ranks += 1 + ranks / 9)
        for (int count = 1; count <= 8; count++) {
            int radix = lifelines_radix(count, ranks);

            ck_assert(lifelines_suffice(count, radix, ranks));
            ck_assert(radix == 2 || !lifelines_suffice(count, radix - 1, ranks));
            expect_graph(count, radix, ranks);
            expect_graph(count, radix + 3, ranks);
        }
}

/* 3 digits with base 10: from 199 to 109, 190 and, as there is no 299, to 99. */
START_TEST(digits_go_around)
{
    struct lifelines lifelines;

    lifelines_init(&lifelines, 3, 10, 199, 200);
    ck_assert_int_eq(lifelines.count, 3);
    ck_assert_int_eq(lifelines.to[0], 190);
    ck_assert_int_eq(lifelines.to[1], 109);
    ck_assert_int_eq(lifelines.to[2], 99);
}

/* The greatest radix must not lead to a loop that counts up to it. */
START_TEST(the_greatest_radix_is_as_good_as_any)
{
    struct lifelines lifelines;

    for (int rank = 0; rank < RANKS_MAX; rank++) {
        lifelines_init(&lifelines, LIFELINES_MAX, INT32_MAX, rank, RANKS_MAX);
        ck_assert_int_eq(lifelines.count, 1);
        ck_assert_int_eq(lifelines.to[0], (rank + 1) % RANKS_MAX);
    }
}

START_TEST(an_edge_is_asked_once_until_it_answers)
{
    struct lifelines lifelines;

    lifelines_init(&lifelines, 3, 2, 0, 8);
    lifelines_begin(&lifelines);
    ck_assert_int_eq(lifelines_ask(&lifelines), 1);
    ck_assert_int_eq(lifelines_ask(&lifelines), 2);
    lifelines.next = 0;
    lifelines_answered(&lifelines, 2);
    ck_assert_int_eq(lifelines_ask(&lifelines), 2);
    ck_assert_int_eq(lifelines_ask(&lifelines), 4);
    ck_assert_int_eq(lifelines_ask(&lifelines), -1);
}

/* Each rank that sleeps is reached and can be woken: no more ranks wait at a rank than there is
 * room for. */
static void hang_on_lifelines(void)
{
    const int ranks = (int)between(2, RANKS_MAX), count = (int)between(1, 8);
    const int radix = lifelines_radix(count, ranks);
    int before_count[RANKS_MAX] = {0}, reached[RANKS_MAX] = {0}, list[RANKS_MAX];
    int reached_count = 1;

    ALWAYS(lifelines_suffice(count, radix, ranks));
    reached[0] = 1;
    list[0] = 0;
    for (int i = 0; i < reached_count; i++) {
        struct lifelines lifelines;
        lifelines_init(&lifelines, count, radix, list[i], ranks);
        for (int edge; lifelines.next < lifelines.count;) {
            edge = lifelines_ask(&lifelines);
            ALWAYS(edge >= 0 && edge < ranks && edge != list[i]);
            before_count[edge]++;
            if (!reached[edge])
                list[reached_count++] = edge;
            reached[edge] = 1;
        }
        ALWAYS(lifelines_ask(&lifelines) == -1);
    }
    ALWAYS(reached_count == ranks);
    for (int rank = 0; rank < ranks; rank++)
        ALWAYS(before_count[rank] >= 1 && before_count[rank] <= count);
}

START_TEST(lifelines_reach_everybody_and_few_hang_on_each)
{
    live_with_seeds(1000, hang_on_lifelines);
}

SUITE("lifelines")
