/* SPDX-License-Identifier: BSD-3-Clause */
/* The causes that a run is said to have waited for, from the times that were measured. */
#include "tests/lib/suite.h"

#include "juggle/report/causes.h"
#include "juggle/report/report.h"
#include "libjuggle/ground/prng.h"

#include <stdio.h>
#include <string.h>

#define S NSEC_PER_SEC

struct row {
    const char *name;
    struct spent spent; /* in ten seconds */
    const char *causes; /* with the seconds of each, in tenths */
};

/* The rows have two processors unless they say otherwise. */
static const struct row rows[] = {
    {"three threads that had both processors",
     {.threads_mean = 3, .run_ns = 20 * S, .wait_ns = 10 * S, .own_ns = S / 10},
     ""},
    {"a quota of a fifth of a processor, beside busy programs that took the rest",
     {.threads_mean = 3,
      .run_ns = 2 * S,
      .wait_ns = 28 * S,
      .throttled_ns = 5 * S,
      .throttled_share = 1,
      .others_ns = 18 * S},
     "quota 90"},
    {"one that was used up in half of the periods",
     {.threads_mean = 2,
      .run_ns = 10 * S,
      .wait_ns = 10 * S,
      .throttled_ns = 4 * S,
      .throttled_share = 0.5,
      .others_ns = 10 * S},
     "quota 25, others 25"},
    {"a quota that somebody else of the group used up meanwhile",
     {.threads_mean = 1, .throttled_ns = 15 * S, .throttled_share = 1},
     "blocked 100"},
    {"who sleeps while others compute",
     {.threads_mean = 0.1, .run_ns = S / 100, .others_ns = 20 * S},
     "blocked 100"},
    {"a busy loop beside two threads",
     {.threads_mean = 2, .run_ns = 13 * S, .wait_ns = 7 * S, .others_ns = 7 * S},
     "others 35"},
    {"two threads bound to one processor, the other idle",
     {.threads_mean = 2, .run_ns = 10 * S, .wait_ns = 10 * S, .pinned_wait_ns = 10 * S},
     "pins 50"},
    {"and the other taken by a program that never came here",
     {.threads_mean = 2,
      .run_ns = 10 * S,
      .wait_ns = 10 * S,
      .pinned_wait_ns = 10 * S,
      .others_ns = 10 * S},
     "pins 50"},
    {"one bound beside a busy loop, another idle",
     {.threads_mean = 1,
      .run_ns = 5 * S,
      .wait_ns = 5 * S,
      .pinned_wait_ns = 5 * S,
      .others_ns = 5 * S,
      .pinned_others_ns = 5 * S},
     "pins 50, few_threads 50"},
    {"one bound where it would have fared no better elsewhere",
     {.threads_mean = 1,
      .run_ns = 5 * S,
      .wait_ns = 5 * S,
      .pinned_wait_ns = 5 * S,
      .others_ns = 15 * S,
      .pinned_others_ns = 5 * S},
     "others 50"},
    {"stopped for a while",
     {.threads_mean = 2, .run_ns = 8 * S, .stopped_ns = 6 * S},
     "stopped 60"},
    {"stopped while others computed",
     {.threads_mean = 2, .run_ns = 8 * S, .stopped_ns = 6 * S, .others_ns = 12 * S},
     "stopped 60"},
    {"the host took a quarter of what ran",
     {.threads_mean = 2, .run_ns = 15 * S, .steal_ns = 5 * S},
     "host 25"},
    {"the host took it from others, for the most part",
     {.threads_mean = 1, .run_ns = 2 * S, .wait_ns = 8 * S, .others_ns = 14 * S, .steal_ns = 4 * S},
     "others 80"},
    {"one thread that computes", {.threads_mean = 1, .run_ns = 10 * S}, "few_threads 50"},
    {"one beside two threads of others, which left no processor idle",
     {.threads_mean = 1, .run_ns = 3 * S, .wait_ns = 7 * S, .others_ns = 17 * S},
     "others 70"},
    {"one beside a thread of others, which left the rest of a processor idle",
     {.threads_mean = 1, .run_ns = 10 * S, .others_ns = 6 * S},
     "few_threads 20"},
    {"one of many processors",
     {.processors_count = 64, .threads_mean = 1, .run_ns = 10 * S},
     "few_threads 98"},
    {"stopped on many processors",
     {.processors_count = 64, .threads_mean = 1, .run_ns = 5 * S, .stopped_ns = 5 * S},
     "stopped 50, few_threads 49"},
    {"input and output half of the time", {.threads_mean = 2, .run_ns = 10 * S}, "blocked 50"},
    {"waits that nothing explains are blamed on nobody",
     {.threads_mean = 2, .run_ns = 10 * S, .wait_ns = 10 * S},
     ""},
    {"what takes less than a tenth is not blamed",
     {.threads_mean = 2, .run_ns = 185 * S / 10, .wait_ns = S, .others_ns = S},
     ""},
    {"several, the worst first",
     {.threads_mean = 2,
      .run_ns = 6 * S,
      .wait_ns = 6 * S,
      .stopped_ns = S,
      .throttled_ns = 4 * S,
      .others_ns = 5 * S},
     "blocked 30, quota 20, stopped 10, others 10"},
};

static void describe(const struct row *row, char *text, size_t size)
{
    struct spent spent = row->spent;
    struct cause causes[CAUSE_KINDS_COUNT];

    spent.elapsed_ns = 10 * S;
    spent.processors_count = spent.processors_count ? spent.processors_count : 2;
    const int count = causes_find(&spent, causes);
    *text = '\0';
    for (int i = 0; i < count; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s %lld", i ? ", " : "", cause_name(causes[i].kind),
                 (long long)((causes[i].time_ns + S / 20) / (S / 10)));
    }
}

START_TEST(each_cause_gets_the_time_that_it_explains)
{
    char text[256];

    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        describe(&rows[i], text, sizeof(text));
        ck_assert_msg(!strcmp(text, rows[i].causes), "%s: '%s', not '%s'", rows[i].name, text,
                      rows[i].causes);
    }
}

START_TEST(nothing_measured_is_nothing_to_blame)
{
    struct cause causes[CAUSE_KINDS_COUNT];
    const struct spent none = {0}, no_machine = {.elapsed_ns = S};

    ck_assert_int_eq(causes_find(&none, causes), 0);
    ck_assert_int_eq(causes_find(&no_machine, causes), 0);
}

static int64_t some_ns(struct prng *prng, int64_t most_ns)
{
    return (int64_t)prng_below(prng, 2) * (int64_t)prng_below(prng, (uint64_t)most_ns);
}

/* Figures that do not agree with each other, because each was measured at another time. */
START_TEST(no_cause_takes_more_than_the_run_whatever_was_measured)
{
    struct cause causes[CAUSE_KINDS_COUNT];
    struct prng prng;

    for (uint64_t seed = 0; seed < 20000; seed++) {
        prng_seed(&prng, seed);
        const struct spent spent = {
            .elapsed_ns = 1 + (int64_t)prng_below(&prng, 20 * S),
            .processors_count = 1 + (int)prng_below(&prng, 4),
            .threads_mean = 6 * prng_unit(&prng),
            .run_ns = some_ns(&prng, 80 * S),
            .wait_ns = some_ns(&prng, 80 * S),
            .stopped_ns = some_ns(&prng, 30 * S),
            .throttled_ns = some_ns(&prng, 80 * S),
            .throttled_share = prng_unit(&prng),
            .steal_ns = some_ns(&prng, 40 * S),
            .others_ns = some_ns(&prng, 40 * S),
            .own_ns = some_ns(&prng, S),
            .pinned_wait_ns = some_ns(&prng, 80 * S),
            .pinned_others_ns = some_ns(&prng, 40 * S),
        };
        const int count = causes_find(&spent, causes);
        int64_t sum_ns = 0;

        ck_assert(count >= 0 && count <= CAUSE_KINDS_COUNT);
        for (int i = 0; i < count; i++) {
            ck_assert(causes[i].time_ns > 0 && causes[i].time_ns <= spent.elapsed_ns);
            ck_assert(i == 0 || causes[i].time_ns <= causes[i - 1].time_ns);
            sum_ns += causes[i].kind == CAUSE_FEW_THREADS ? 0 : causes[i].time_ns;
        }
        ck_assert_int_le(sum_ns, spent.elapsed_ns + CAUSE_KINDS_COUNT);
    }
}

/* Two threads share a processor for ten seconds, beside a busy loop on the other one. */
START_TEST(pins_are_blamed_however_early_the_last_look_was)
{
    struct cause causes[CAUSE_KINDS_COUNT];

    for (int seen_s = 1; seen_s <= 10; seen_s++) {
        const struct tally_times looked = {
            .life_ns = 2 * seen_s * S, .run_ns = seen_s * S, .wait_ns = seen_s * S};
        const struct report report = {
            .elapsed_ns = 10 * S,
            .program_ns = 10 * S,
            .statistics = {.processors_count = 2,
                           .times = {.all = looked, .workers = looked, .pinned = looked}},
            .taken = {.others_ns = 10 * S, .bound_busy_ns = 10 * S},
        };
        ck_assert_int_eq(causes_of(&report, causes), 1);
        ck_assert_int_eq(causes[0].kind, CAUSE_PINS);
        ck_assert_int_eq(causes[0].time_ns, 5 * S);
    }
}

SUITE("causes")
