/* SPDX-License-Identifier: BSD-3-Clause */
/* Bins, histories and the ledger of what was executed. */
#include "tests/lib/suite.h"

#include "libjuggle/ground/prng.h"
#include "libjuggle/steal/placement/donation.h"

#include <stdlib.h>

enum { CAPACITY = 1000, RESOLUTION = 4 };

struct entry {
    uint64_t task;
    struct history history;
};

struct fixture {
    struct entry entries[CAPACITY];
    uint32_t bins[BINS_MAX];
    struct ledger ledger;
};

static struct fixture fixture;

static void open_ledger(void)
{
    ledger_init(&fixture.ledger, fixture.entries, sizeof(fixture.entries), sizeof(struct entry),
                fixture.bins, RESOLUTION);
}

static void add(uint64_t task, int64_t predicted_ns)
{
    const struct entry entry = {task, {.predicted_ns = predicted_ns, .runs = predicted_ns >= 0}};

    ck_assert(ledger_add(&fixture.ledger, &entry));
}

/* ---- bins ---------------------------------------------------------------------------------- */

START_TEST(longer_durations_are_never_in_earlier_bins)
{
    for (unsigned resolution = 0; resolution <= BINS_RESOLUTION_MAX; resolution++) {
        uint32_t last = 0;

        for (int64_t ns = 0; ns < 5000; ns++) {
            const uint32_t bin = bins_of(ns, resolution);

            ck_assert_uint_ge(bin, last);
            ck_assert_uint_le(bin, last + 1);
            last = bin;
        }
        ck_assert_uint_eq(bins_of(INT64_MAX, resolution), bins_count(resolution) - 1);
        ck_assert_uint_le(bins_count(resolution), BINS_MAX);
        ck_assert_uint_eq(bins_of(-1, resolution), 0);
    }
}

START_TEST(a_doubling_has_as_many_bins_as_the_resolution_says)
{
    for (unsigned resolution = 0; resolution <= BINS_RESOLUTION_MAX; resolution++)
        for (int64_t ns = 1 << resolution; ns < INT64_MAX / 4; ns *= 2)
            ck_assert_uint_eq(bins_of(2 * ns, resolution) - bins_of(ns, resolution),
                              1u << resolution);
}

/* ---- histories ----------------------------------------------------------------------------- */

static void expect_prediction(struct forecast_rule forecast, const int64_t *took_ns, size_t count,
                              int64_t predicted_ns)
{
    struct history history = {0};
    struct forecast_error error = {0};

    for (size_t i = 0; i < count; i++)
        history_learn(&history, &forecast, took_ns[i], &error);
    ck_assert_int_eq(history.predicted_ns, predicted_ns);
    ck_assert_uint_eq(history.runs, count);
    ck_assert_int_eq(error.tasks, count - 1);
}

START_TEST(predictions_are_the_last_the_mean_or_fade)
{
    static const int64_t took_ns[] = {1000, 2000, 6000};

    expect_prediction((struct forecast_rule){STEAL_PREDICTION_LAST, 0}, took_ns, 3, 6000);
    expect_prediction((struct forecast_rule){STEAL_PREDICTION_MEAN, 0}, took_ns, 3, 3000);
    expect_prediction((struct forecast_rule){STEAL_PREDICTION_WEIGHTED, 0.5}, took_ns, 3, 3750);
    expect_prediction((struct forecast_rule){STEAL_PREDICTION_WEIGHTED, 1}, took_ns, 3, 6000);
}

START_TEST(what_predictions_are_off_adds_up)
{
    const struct forecast_rule last = {STEAL_PREDICTION_LAST, 0};
    struct history history = {0};
    struct forecast_error error = {0};

    history_learn(&history, &last, 100, &error);
    history_learn(&history, &last, 130, &error);
    history_learn(&history, &last, 90, &error);
    ck_assert_int_eq(error.tasks, 2);
    ck_assert_int_eq(error.error_ns, 30 + 40);
}

START_TEST(runs_are_counted_up_to_what_fits)
{
    const struct forecast_rule mean = {STEAL_PREDICTION_MEAN, 0};
    struct history history = {.predicted_ns = 50, .runs = UINT16_MAX};
    struct forecast_error error = {0};

    history_learn(&history, &mean, 50, &error);
    ck_assert_uint_eq(history.runs, UINT16_MAX);
    ck_assert_int_eq(history.predicted_ns, 50);
}

/* ---- the ledger ---------------------------------------------------------------------------- */

START_TEST(loads_are_true_nanoseconds_and_bins_count_entries)
{
    struct prng prng;
    int64_t sum_ns = 0, binned = 0;

    prng_seed(&prng, 1);
    open_ledger();
    for (uint64_t i = 0; i < CAPACITY; i++) {
        const int64_t ns = (int64_t)prng_below(&prng, 1000000);

        add(i, i % 10 == 0 ? -1 : ns);
        sum_ns += i % 10 == 0 ? 0 : ns;
    }
    for (uint32_t bin = 0; bin < bins_count(RESOLUTION); bin++)
        binned += fixture.bins[bin];
    ck_assert_int_eq(fixture.ledger.known_ns, sum_ns);
    ck_assert_int_eq(binned, CAPACITY - CAPACITY / 10);
    ck_assert_uint_eq(fixture.ledger.known, binned);
}

START_TEST(a_full_ledger_takes_no_more)
{
    const struct entry entry = {0};

    open_ledger();
    for (uint64_t i = 0; i < CAPACITY; i++)
        add(i, 1);
    ck_assert(!ledger_add(&fixture.ledger, &entry));
    ck_assert_uint_eq(fixture.ledger.count, CAPACITY);
    ck_assert_int_eq(fixture.ledger.known_ns, CAPACITY);
}

START_TEST(sweeping_drops_what_is_gone_and_keeps_the_order)
{
    open_ledger();
    for (uint64_t i = 0; i < 100; i++)
        add(i, (int64_t)i);
    for (size_t i = 0; i < 100; i += 3)
        fixture.entries[i].history.flags |= HISTORY_GONE;
    ledger_sweep(&fixture.ledger);
    ck_assert_uint_eq(fixture.ledger.count, 66);
    ck_assert_int_eq(fixture.ledger.known_ns, 99 * 100 / 2 - 3 * 33 * 34 / 2);
    for (size_t i = 0; i < 66; i++)
        ck_assert_uint_eq(fixture.entries[i].task, i / 2 * 3 + 1 + i % 2);
}

START_TEST(sorting_goes_by_bins_and_is_stable)
{
    uint32_t order[CAPACITY];
    struct prng prng;

    prng_seed(&prng, 2);
    open_ledger();
    for (uint64_t i = 0; i < CAPACITY; i++)
        add(i, i % 7 == 0 ? -1 : (int64_t)prng_below(&prng, 100000));
    ledger_sort(&fixture.ledger, 50000, order);
    for (size_t i = 1; i < CAPACITY; i++) {
        const uint32_t before = bins_of(
            history_expect(&fixture.entries[order[i - 1]].history, 50000), RESOLUTION);
        const uint32_t after = bins_of(history_expect(&fixture.entries[order[i]].history, 50000),
                                       RESOLUTION);

        ck_assert_uint_le(before, after);
        if (before == after)
            ck_assert_uint_lt(order[i - 1], order[i]);
    }
}

/* ---- donation ------------------------------------------------------------------------------ */

static uint32_t donate(enum steal_donation which, int64_t load_ns, int64_t average_ns,
                       struct token *tokens)
{
    const struct donation donation = {.rank = 3,
                                      .load_ns = load_ns,
                                      .average_ns = average_ns,
                                      .keep_ns = average_ns + average_ns / 100,
                                      .mean_ns = 1};
    uint32_t order[CAPACITY];

    ledger_sort(&fixture.ledger, 1, order);
    return donation_choose(which, donation, &fixture.ledger, order, tokens);
}

START_TEST(the_shortest_go_first_until_the_load_is_below_c)
{
    struct token tokens[CAPACITY];

    open_ledger();
    for (uint64_t i = 0; i < 4; i++)
        add(i, 100 << i); /* 100, 200, 400, 800 */
    ck_assert_uint_eq(donate(STEAL_DONATION_SHORTEST, 1500, 1000, tokens), 3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(tokens[i].slot, i);
        ck_assert_int_eq(tokens[i].load_ns, 100 << i);
        ck_assert_int_eq(tokens[i].origin, 3);
    }
    ck_assert_uint_eq(donate(STEAL_DONATION_SHORTEST, 1500, 1490, tokens), 0);
}

START_TEST(the_longest_go_first_that_leave_the_average)
{
    struct token tokens[CAPACITY];

    open_ledger();
    for (uint64_t i = 0; i < 4; i++)
        add(i, 100 << i);
    ck_assert_uint_eq(donate(STEAL_DONATION_LONGEST, 1500, 1000, tokens), 2);
    ck_assert_int_eq(tokens[0].load_ns, 400);
    ck_assert_int_eq(tokens[1].load_ns, 100);
    /* If each task would take the load below the average, the shortest goes first, as published. */
    ck_assert_uint_eq(donate(STEAL_DONATION_LONGEST, 1500, 1450, tokens), 1);
    ck_assert_int_eq(tokens[0].load_ns, 100);
}

SUITE("ledger")
