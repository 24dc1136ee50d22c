/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of lifelines: every rank is reached from every other, and few wait for one. */
#include "tests/lib/suite.h"

#include "libjuggle/steal/protocol/lifelines.h"

#include <string.h>

enum { RANKS_MAX = 130 };

/* How many ranks can be reached from one along lifelines. */
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
END_TEST

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
END_TEST

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
END_TEST

SUITE("lifelines", every_rank_is_reached, digits_go_around, an_edge_is_asked_once_until_it_answers)
