/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "tools/cpuhog/schedule.h"

#include <errno.h>

START_TEST(ranges_have_two_ends_or_one)
{
    struct duration_range range = {1, 2};

    ck_assert_int_eq(duration_range_parse("5s-10s", &range), 0);
    ck_assert_int_eq(range.low_ns, 5 * NSEC_PER_SEC);
    ck_assert_int_eq(range.high_ns, 10 * NSEC_PER_SEC);
    ck_assert_int_eq(duration_range_parse("250us", &range), 0);
    ck_assert_int_eq(range.low_ns, 250 * NSEC_PER_USEC);
    ck_assert_int_eq(range.high_ns, 250 * NSEC_PER_USEC);
    ck_assert_int_eq(duration_range_parse("0s-0s", &range), 0);
    ck_assert_int_eq(range.high_ns, 0);
}

START_TEST(bad_ranges_change_nothing)
{
    static const char *const texts[] = {"", "-", "5s-", "-5s", "5-10", "1s-2s-3s", "x"};
    struct duration_range range = {1, 2};

    for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
        ck_assert_int_eq(duration_range_parse(texts[i], &range), -EINVAL);
    ck_assert_int_eq(duration_range_parse("10s-5s", &range), -ERANGE);
    ck_assert_int_eq(range.low_ns, 1);
    ck_assert_int_eq(range.high_ns, 2);
}

START_TEST(cycles_follow_one_another_within_their_ranges)
{
    const struct duration_range sleep = {0, 5 * NSEC_PER_SEC};
    const struct duration_range compute = {5 * NSEC_PER_SEC, 10 * NSEC_PER_SEC};
    struct schedule schedule;
    int64_t end_ns = 0, shortest_ns = INT64_MAX, longest_ns = 0;

    schedule_init(&schedule, sleep, compute, 7);
    for (int i = 0; i < 1000; i++) {
        const struct cycle cycle = schedule_next(&schedule);
        const int64_t compute_ns = cycle.end_ns - cycle.compute_from_ns;
        ck_assert_int_ge(cycle.compute_from_ns - end_ns, sleep.low_ns);
        ck_assert_int_le(cycle.compute_from_ns - end_ns, sleep.high_ns);
        ck_assert_int_ge(compute_ns, compute.low_ns);
        ck_assert_int_le(compute_ns, compute.high_ns);
        shortest_ns = min_i64(shortest_ns, compute_ns);
        longest_ns = max_i64(longest_ns, compute_ns);
        end_ns = cycle.end_ns;
    }
    /* A thousand draws come within half a second of both ends. */
    ck_assert_int_lt(shortest_ns, compute.low_ns + NSEC_PER_SEC / 2);
    ck_assert_int_gt(longest_ns, compute.high_ns - NSEC_PER_SEC / 2);
}

START_TEST(the_seed_alone_decides)
{
    const struct duration_range range = {0, NSEC_PER_SEC};
    struct schedule first, again, other;
    int differences = 0;

    schedule_init(&first, range, range, 1);
    schedule_init(&again, range, range, 1);
    schedule_init(&other, range, range, 2);
    for (int i = 0; i < 100; i++) {
        const struct cycle cycle = schedule_next(&first);
        ck_assert_int_eq(schedule_next(&again).end_ns, cycle.end_ns);
        differences += schedule_next(&other).end_ns != cycle.end_ns;
    }
    ck_assert_int_gt(differences, 90);
}

START_TEST(scaling_moves_both_ends)
{
    const struct duration_range scaled = duration_range_scaled(
        (struct duration_range){5 * NSEC_PER_SEC, 10 * NSEC_PER_SEC}, 0.1);

    ck_assert_int_eq(scaled.low_ns, NSEC_PER_SEC / 2);
    ck_assert_int_eq(scaled.high_ns, NSEC_PER_SEC);
}

START_TEST(a_cycle_takes_1_ns_to_a_year)
{
    const struct duration_range none = {0, 0}, second = {0, NSEC_PER_SEC};

    ck_assert(cycle_is_possible(none, second, 1e-9));
    ck_assert(cycle_is_possible(second, none, 1e7));
    ck_assert(!cycle_is_possible(none, none, 1));
    ck_assert(!cycle_is_possible(second, second, 1e-10));
    ck_assert(!cycle_is_possible(second, second, 1e8));
    ck_assert(!cycle_is_possible(second, second, 1e300));
}

SUITE("cpuhog")
