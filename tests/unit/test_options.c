/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "cli/options.h"

#include <errno.h>

struct settings {
    bool flag;
    int count;
    int64_t period_ns;
    double jitter, factor;
    const char *text;
};

static const struct option_spec options[] = {
    {"flag", 'f', NULL, "a flag", option_flag, offsetof(struct settings, flag)},
    {"count", 'n', "N", "a count", option_count, offsetof(struct settings, count)},
    {"period", 'p', "TIME", "a period", option_duration, offsetof(struct settings, period_ns)},
    {"jitter", 0, "SHARE", "a share", option_fraction, offsetof(struct settings, jitter)},
    {"factor", 0, "X", "a number", option_real, offsetof(struct settings, factor)},
    {"text", 0, "TEXT", "a text", option_string, offsetof(struct settings, text)},
    {0},
};

static const struct command_spec command = {
    .name = "thing",
    .synopsis = "[options] [--] command",
    .summary = "Does a thing.",
    .environment_prefix = "THING_",
    .stop_at_operand = true,
    .options = options,
};

#define PARSE(settings, ...)                                                                \
    ({                                                                                      \
        char *argv[] = {"thing", __VA_ARGS__, NULL};                                        \
        options_parse(&command, ARRAY_COUNT(argv) - 1, argv, settings, &operands, &status); \
    })

START_TEST(short_and_long_options_fill_the_settings)
{
    struct settings settings = {0};
    int operands, status;

    ck_assert_int_eq(
        PARSE(&settings, "-f", "-n", "3", "--period=10ms", "--jitter", "10%", "cmd", "-n"), 0);
    ck_assert(settings.flag);
    ck_assert_int_eq(settings.count, 3);
    ck_assert_int_eq(settings.period_ns, 10 * NSEC_PER_MSEC);
    ck_assert_double_eq_tol(settings.jitter, 0.1, 1e-12);
    ck_assert_int_eq(operands, 7);
}

START_TEST(environment_is_read_before_the_command_line)
{
    struct settings settings = {0};
    int operands, status;

    setenv("THING_COUNT", "5", 1);
    setenv("THING_PERIOD", "2s", 1);
    ck_assert_int_eq(PARSE(&settings, "-n", "4"), 0);
    ck_assert_int_eq(settings.count, 4);
    ck_assert_int_eq(settings.period_ns, 2 * NSEC_PER_SEC);
    setenv("THING_COUNT", "none", 1);
    ck_assert_int_eq(PARSE(&settings, "-n", "4"), -EINVAL);
    ck_assert_int_eq(status, EXIT_USAGE);
    unsetenv("THING_COUNT");
    unsetenv("THING_PERIOD");
}

START_TEST(bad_values_are_usage_errors_and_change_nothing)
{
    struct settings settings = {.count = 9};
    int operands, status;

    ck_assert_int_ne(PARSE(&settings, "-n", "0"), 0);
    ck_assert_int_ne(PARSE(&settings, "-n", "3x"), 0);
    ck_assert_int_ne(PARSE(&settings, "-n", " 3"), 0);
    ck_assert_int_ne(PARSE(&settings, "-n", "+3"), 0);
    ck_assert_int_ne(PARSE(&settings, "-n"), 0);
    ck_assert_int_ne(PARSE(&settings, "--nonsense"), 0);
    ck_assert_int_ne(PARSE(&settings, "-Z"), 0);
    ck_assert_int_eq(status, EXIT_USAGE);
    ck_assert_int_eq(settings.count, 9);
}

/* strtod() accepts more than decimal numbers. */
START_TEST(numbers_are_decimal)
{
    static const char *const wrong[] = {"0x1", " 1", "+1", "-0", "nan",
                                        "inf", ".",  "e1", "1e", "1,0"};
    struct settings settings = {.factor = 9, .jitter = 0.9};
    int operands, status;

    for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
        char *text = (char *)wrong[i];
        ck_assert_msg(PARSE(&settings, "--factor", text) == -EINVAL, "%s", text);
        ck_assert_msg(PARSE(&settings, "--jitter", text) == -EINVAL, "%s", text);
    }
    ck_assert(settings.factor == 9 && settings.jitter == 0.9);
    ck_assert_int_eq(PARSE(&settings, "--factor", "2.5e1", "--jitter", "1e-1"), 0);
    ck_assert(settings.factor == 25 && settings.jitter == 0.1);
}

START_TEST(durations_need_a_unit)
{
    static const struct {
        const char *text;
        int error;
        int64_t duration_ns;
    } cases[] = {
        {"1ns", 0, 1},          {"250us", 0, 250000},     {"1.5s", 0, 1500000000},
        {"2 ms", 0, 2000000},   {"1h", 0, 3600000000000}, {"0s", 0, 0},
        {"10", -EINVAL, 0},     {"-1s", -EINVAL, 0},      {"", -EINVAL, 0},
        {"ms", -EINVAL, 0},     {"1e30h", -ERANGE, 0},    {"nan s", -EINVAL, 0},
        {"0x1s", -EINVAL, 0},   {"1e3us", 0, 1000000},    {".5s", 0, 500000000},
        {" 1s", -EINVAL, 0},    {"+1s", -EINVAL, 0},      {".s", -EINVAL, 0},
        {"2.s", 0, 2000000000}, {"infs", -EINVAL, 0},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        int64_t duration_ns = 0;
        ck_assert_int_eq(duration_parse(cases[i].text, &duration_ns), cases[i].error);
        ck_assert_int_eq(duration_ns, cases[i].duration_ns);
    }
}

START_TEST(durations_are_printed_short)
{
    char text[32];

    ck_assert_str_eq(duration_format(1500 * NSEC_PER_MSEC, text, sizeof(text)), "1.5 s");
    ck_assert_str_eq(duration_format(250 * NSEC_PER_USEC, text, sizeof(text)), "250 us");
    ck_assert_str_eq(duration_format(0, text, sizeof(text)), "0 ns");
    ck_assert_str_eq(duration_format(4321 * NSEC_PER_SEC, text, sizeof(text)), "4321 s");
}

SUITE("options")
