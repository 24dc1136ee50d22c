/* SPDX-License-Identifier: BSD-3-Clause */
/* The instruments: when workers had tasks, how long sessions took, SL and EL. */
#include "tests/lib/chance.h"

#include "libjuggle/steal.h"
#include "libjuggle/steal/runtime/spectrum.h"
#include "libjuggle/steal/runtime/timeline.h"

#include <math.h>

static int64_t sum_of(const int64_t *parts)
{
    int64_t sum = 0;

    for (int i = 0; i < TIMELINE_PARTS; i++)
        sum += parts[i];
    return sum;
}

START_TEST(a_timeline_keeps_every_nanosecond)
{
    struct timeline timeline;
    int64_t active_ns = 0;

    timeline_begin(&timeline, 1000);
    for (int64_t i = 0, now_ns = 1000; i < 2000; i++) {
        int64_t length_ns = 100 + i * i % 7919;

        timeline_add(&timeline, now_ns, now_ns + length_ns);
        active_ns += length_ns;
        now_ns += 2 * length_ns;
    }
    ck_assert_int_eq(sum_of(timeline.active_ns), active_ns);
    ck_assert_int_gt(timeline.part_ns, 4000);
    for (int i = 0; i < TIMELINE_PARTS; i++)
        ck_assert_int_le(timeline.active_ns[i], timeline.part_ns);
}

START_TEST(timelines_of_ranks_that_began_apart_are_added_up)
{
    struct timeline timeline;
    int64_t sum_ns[TIMELINE_PARTS] = {0};
    const int64_t part_ns = 10 * NSEC_PER_USEC;

    timeline_begin(&timeline, 0);
    timeline_add(&timeline, 0, NSEC_PER_MSEC);
    timeline_sum(&timeline, 0, part_ns, sum_ns);
    timeline_sum(&timeline, NSEC_PER_MSEC / 2, part_ns, sum_ns);
    ck_assert_int_eq(sum_of(sum_ns), 2 * NSEC_PER_MSEC);
    ck_assert_int_eq(sum_ns[0], part_ns);
    ck_assert_int_eq(sum_ns[49], part_ns);
    ck_assert_int_eq(sum_ns[50], 2 * part_ns);
    ck_assert_int_eq(sum_ns[99], 2 * part_ns);
    ck_assert_int_eq(sum_ns[100], part_ns);
    ck_assert_int_eq(sum_ns[150], 0);
}

START_TEST(quantiles_are_right_to_a_ninth)
{
    int64_t spectrum[SPECTRUM_CLASSES] = {0};

    ck_assert_int_eq(spectrum_quantile(spectrum, 0.5), 0);
    for (int64_t length_ns = 1; length_ns <= 100000; length_ns++)
        spectrum_add(spectrum, length_ns * 1000);
    for (double share = 0.01; share < 1; share += 0.07) {
        double exact = share * 1e8, found = (double)spectrum_quantile(spectrum, share);

        ck_assert_double_lt(fabs(found - exact), exact / 8);
    }
    spectrum_add(spectrum, 0);
    spectrum_add(spectrum, INT64_MAX / 2);
    ck_assert_int_gt(spectrum_quantile(spectrum, 1), INT64_C(1) << 40);
}

START_TEST(latencies_are_shares_of_the_time)
{
    struct steal_report report = {0};

    for (int i = 128; i < 384; i++)
        report.occupancy[i] = i < 256 ? 0.5 : 0.9;
    ck_assert_double_eq(steal_report_starting(&report, 0.5), 0.25);
    ck_assert_double_eq(steal_report_starting(&report, 0.9), 0.5);
    ck_assert_double_eq(steal_report_ending(&report, 0.9), 0.25);
    ck_assert_double_eq(steal_report_ending(&report, 0.1), 0.25);
    ck_assert_double_eq(steal_report_starting(&report, 0.95), 1);
    ck_assert_double_eq(steal_report_ending(&report, 0.95), 1);
}

static void sort_lengths(void)
{
    int64_t spectrum[SPECTRUM_CLASSES] = {0}, least_ns = INT64_MAX, most_ns = 0, before_ns = 0;
    const int count = (int)between(1, 50);

    for (int i = 0; i < count; i++) {
        const int64_t length_ns = below(INT64_C(1) << below(36));
        least_ns = min_i64(least_ns, length_ns);
        most_ns = max_i64(most_ns, length_ns);
        spectrum_add(spectrum, length_ns);
    }
    for (int percent = 0; percent <= 100; percent += 5) {
        const int64_t found_ns = spectrum_quantile(spectrum, percent / 100.0);
        ALWAYS(found_ns >= before_ns && found_ns <= most_ns && found_ns >= least_ns - least_ns / 8);
        before_ns = found_ns;
    }
    ALWAYS(before_ns >= most_ns - most_ns / 8 - 1);
}

START_TEST(quantiles_grow_and_are_an_eighth_off_at_most)
{
    live_with_seeds(5000, sort_lengths);
}

/* Short and long sessions that follow each other. */
static void have_sessions(void)
{
    const int64_t began_ns = below(NSEC_PER_SEC);
    int64_t now_ns = began_ns, active_ns = 0, sum_ns[TIMELINE_PARTS] = {0};
    struct timeline timeline;

    timeline_begin(&timeline, began_ns);
    for (int i = (int)below(60); i > 0; i--) {
        const int64_t from_ns = now_ns + below(INT64_C(1) << below(30));
        now_ns = from_ns + below(INT64_C(1) << below(30));
        timeline_add(&timeline, from_ns, now_ns);
        active_ns += now_ns - from_ns;
    }
    for (int part = 0; part < TIMELINE_PARTS; part++)
        ALWAYS(timeline.active_ns[part] >= 0 && timeline.active_ns[part] <= timeline.part_ns);
    ALWAYS(sum_of(timeline.active_ns) == active_ns);
    timeline_sum(&timeline, below(timeline.part_ns), 2 * timeline.part_ns, sum_ns);
    ALWAYS(sum_of(sum_ns) == active_ns);
}

START_TEST(sessions_are_kept_and_no_part_holds_more_than_its_time)
{
    live_with_seeds(3000, have_sessions);
}

SUITE("steal report")
