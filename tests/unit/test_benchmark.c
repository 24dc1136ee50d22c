/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "juggle/report/benchmark.h"

#include <jansson.h>
#include <string.h>

#define MS NSEC_PER_MSEC

static char *command[] = {"./app", NULL};
static struct benchmark benchmark;

/* Makes rounds that become slower and slower, as on a machine that heats up. */
static void rounds_make(int rounds, int64_t plain_ms, int64_t juggle_ms, int64_t fit_ms)
{
    benchmark = (struct benchmark){.command = command, .rounds_asked = rounds, .rounds = rounds};
    for (int i = 0; i < rounds; i++) {
        benchmark.times_ns[i][VARIANT_PLAIN] = plain_ms * (10 + i) * MS / 10;
        benchmark.times_ns[i][VARIANT_JUGGLE] = juggle_ms * (10 + i) * MS / 10;
        benchmark.times_ns[i][VARIANT_FIT] = fit_ms * (10 + i) * MS / 10;
    }
}

static enum variant used(void)
{
    struct verdict verdict;

    benchmark_judge(&benchmark, &verdict);
    return verdict.use;
}

START_TEST(intervals_are_as_sure_as_they_say)
{
    static const struct {
        int rounds;
        double confidence;
        int low, high; /* percent, in steps of ten */
    } cases[] = {
        {1, 0, 100, 100},       {2, 0.5, 100, 110},    {3, 0.75, 100, 120},
        {6, 0.96875, 100, 150}, {8, 0.9922, 100, 170}, {9, 0.9609, 110, 170},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct verdict verdict;
        rounds_make(cases[i].rounds, 100, 100, 100);
        benchmark_judge(&benchmark, &verdict);
        const struct estimate *time = &verdict.times_ns[VARIANT_PLAIN];
        ck_assert_double_eq_tol(verdict.confidence, cases[i].confidence, 1e-3);
        ck_assert_double_eq_tol(time->low, (double)(cases[i].low * MS), 1);
        ck_assert_double_eq_tol(time->high, (double)(cases[i].high * MS), 1);
        ck_assert_double_eq_tol(time->median, (double)((95 + 5 * cases[i].rounds) * MS), 1);
    }
}

START_TEST(rounds_are_held_against_themselves)
{
    struct verdict verdict;

    rounds_make(6, 100, 90, 50);
    benchmark_judge(&benchmark, &verdict);
    ck_assert_double_eq_tol(verdict.ratios[VARIANT_JUGGLE].low, 0.9, 1e-6);
    ck_assert_double_eq_tol(verdict.ratios[VARIANT_JUGGLE].high, 0.9, 1e-6);
    ck_assert_double_eq_tol(verdict.ratios[VARIANT_FIT].median, 0.5, 1e-6);
}

START_TEST(only_what_is_surely_faster_is_recommended)
{
    rounds_make(6, 100, 90, 50);
    ck_assert_int_eq(used(), VARIANT_FIT);
    rounds_make(6, 100, 80, 110);
    ck_assert_int_eq(used(), VARIANT_JUGGLE);
    rounds_make(6, 1000, 800, 799); /* equally good: the variant that changes less is taken */
    ck_assert_int_eq(used(), VARIANT_JUGGLE);
    rounds_make(6, 100, 120, 110);
    ck_assert_int_eq(used(), VARIANT_PLAIN);
    rounds_make(6, 1000, 995, 996); /* the gain is too small */
    ck_assert_int_eq(used(), VARIANT_PLAIN);
    rounds_make(2, 100, 90, 50); /* too few rounds */
    ck_assert_int_eq(used(), VARIANT_PLAIN);
    rounds_make(3, 100, 90, 50);
    ck_assert_int_eq(used(), VARIANT_FIT);
    benchmark.times_ns[2][VARIANT_FIT] = 200 * MS; /* slower in one round, which may be chance */
    ck_assert_int_eq(used(), VARIANT_JUGGLE);
}

static void text_of(char text[1024])
{
    FILE *file = fmemopen(text, 1024, "w");

    ck_assert_ptr_nonnull(file);
    benchmark_print_text(&benchmark, file);
    fclose(file);
}

START_TEST(the_text_says_which_to_use)
{
    char text[1024];

    rounds_make(6, 100, 90, 50);
    text_of(text);
    ck_assert_ptr_nonnull(strstr(text, "sure to 97 % after 6 rounds\n"));
    ck_assert_ptr_nonnull(strstr(text, "as it is          125 ms   100 ms to 150 ms\n"));
    ck_assert_ptr_nonnull(strstr(text, "use juggle --fit: 0.500 of the time as it is\n"));
    rounds_make(6, 100, 110, 120);
    text_of(text);
    ck_assert_ptr_nonnull(strstr(text, "use it as it is: nothing else was surely faster\n"));
    rounds_make(1, 100, 50, 50);
    text_of(text);
    ck_assert_ptr_nonnull(strstr(text, "nothing is sure after so few rounds"));
}

START_TEST(json_tells_the_same)
{
    char text[4096];
    FILE *file = fmemopen(text, sizeof(text), "w");
    const char *use, *name;
    json_int_t median_ns;
    double ratio;
    int rounds;

    rounds_make(3, 100, 90, 50);
    ck_assert_int_eq(benchmark_print_json(&benchmark, file), 0);
    fclose(file);
    json_t *json = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(json);
    ck_assert_int_eq(json_unpack(json, "{s:s, s:i, s:[{}, {}, {s:s, s:I, s:f}]}", "use", &use,
                                 "rounds", &rounds, "variants", "name", &name, "median_ns",
                                 &median_ns, "ratio", &ratio),
                     0);
    ck_assert_str_eq(use, "fit");
    ck_assert_str_eq(name, "fit");
    ck_assert_int_eq(rounds, 3);
    ck_assert_int_eq(median_ns, 55 * MS);
    ck_assert_double_eq_tol(ratio, 0.5, 1e-6);
    json_decref(json);
}

SUITE("benchmark")
