/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "juggle/report/report.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

static const struct job_thread threads[] = {
    {.pid = 10, .tid = 10, .comm = {"plain"}, .progress_ns = 300, .run_ns = 300, .wait_ns = 100},
    {.pid = 10, .tid = 11, .comm = {"broken\xc3"}, .progress_ns = 500, .cpu = 1, .ended = true},
    {.pid = 12, .tid = 12, .comm = {"\"quoted\""}, .progress_ns = 100, .cpu = -1},
};

static char *const command[] = {"app", "\xff", NULL};

static struct report report_of_three(void)
{
    return (struct report){
        .command = command,
        .elapsed_ns = 2000,
        .own_cpu_ns = 7,
        .statistics =
            {
                .threads_count = 3,
                .processors_count = 2,
                .domains_count = 1,
                .source = "schedstat",
                .capacity = "acpi_cppc",
                .speeds = "cpu 0-1 1, cpu 2-3 0.6",
                .balancers_count = 2,
                .priority = "SCHED_FIFO 1",
                .period_ns = 10 * NSEC_PER_MSEC,
                .rounds_count = 5,
                .migrations_count = 4,
                .spin = {.samples_count = 8,
                         .spinning_count = 2,
                         .nudges_count = 9,
                         .caught_count = 7,
                         .slept_ns = 6},
            },
        .threads = threads,
        .threads_count = 3,
    };
}

static json_t *json_of(const struct report *report)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    ck_assert_int_eq(report_print_json(report, out), 0);
    fclose(out);
    json_t *json = json_loads(text, 0, NULL);
    ck_assert_msg(json != NULL, "%s", text);
    free(text);
    return json;
}

static json_int_t number(const json_t *json, const char *name)
{
    return json_integer_value(json_object_get(json, name));
}

START_TEST(spread_is_from_least_to_most)
{
    struct report report = report_of_three();

    struct thread_sums sums = report_sums(&report);

    ck_assert_int_eq(sums.most_ns - sums.least_ns, 400);
    report.threads_count = 0;
    sums = report_sums(&report);
    ck_assert_int_eq(sums.most_ns - sums.least_ns, 0);
}

START_TEST(json_counts_the_turns_of_each_reason)
{
    struct report report = report_of_three();

    for (int i = 0; i < PERIOD_REASONS_COUNT; i++)
        report.statistics.choice.turns_count[i] = 1 << i;
    json_t *json = json_of(&report);
    const json_t *choice = json_object_get(json, "period_choice");
    ck_assert_int_eq(number(choice, "learned_count"), 1 << PERIOD_LEARNED);
    ck_assert_int_eq(number(choice, "blind_count"), 1 << PERIOD_BLIND);
    ck_assert_int_eq(number(choice, "resting_count"), 1 << PERIOD_RESTING | 1 << PERIOD_SHORT);
    ck_assert_int_eq(number(choice, "spun_count"), 1 << PERIOD_SPUN);
    json_decref(json);
}

START_TEST(json_has_all_and_survives_any_name)
{
    const struct report report = report_of_three();
    json_t *json = json_of(&report);

    ck_assert_int_eq(number(json, "threads_count"), 3);
    ck_assert_int_eq(number(json, "migrations_count"), 4);
    const json_t *spin = json_object_get(json, "spin");
    ck_assert_int_eq(number(spin, "nudges_count"), 9);
    ck_assert_int_eq(number(spin, "caught_count"), 7);
    ck_assert_int_eq(number(spin, "slept_ns"), 6);
    ck_assert(json_real_value(json_object_get(spin, "share")) == 0.25);
    ck_assert_int_eq(number(json, "spread_ns"), 400);
    ck_assert_str_eq(json_string_value(json_object_get(json, "source")), "schedstat");
    ck_assert_str_eq(json_string_value(json_object_get(json, "capacity")), "acpi_cppc");
    ck_assert_str_eq(json_string_value(json_object_get(json, "speeds")), "cpu 0-1 1, cpu 2-3 0.6");
    const json_t *list = json_object_get(json, "threads");
    ck_assert_int_eq((int)json_array_size(list), 3);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, 1), "comm")),
                     "broken\\xc3");
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, 2), "comm")),
                     "\"quoted\"");
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(json, "command"), 1)), "?");
    /* Three threads on two processors take at best twice the mean progress without balancing,
     * and three halves of it with it. */
    const json_t *theory = json_object_get(json, "theory");
    ck_assert_int_eq(number(theory, "static_ns"), 600);
    ck_assert_int_eq(number(theory, "attained_ns"), 2000);
    json_decref(json);
}

START_TEST(json_of_what_was_not_balanced_says_why)
{
    const struct report report = {.command = command, .trouble = "one processor", .exit_status = 3};
    json_t *json = json_of(&report);

    ck_assert_str_eq(json_string_value(json_object_get(json, "trouble")), "one processor");
    ck_assert_int_eq(number(json, "exit_status"), 3);
    ck_assert(json_is_null(json_object_get(json, "source")));
    ck_assert(json_is_null(json_object_get(json, "theory")));
    json_decref(json);
}

START_TEST(json_has_what_is_no_text)
{
    const struct report report = {
        .command = command, .waiting = "LD_PRELOAD=/j\xfcrgen.so", .trouble = "\xff"};
    json_t *json = json_of(&report);

    ck_assert_str_eq(json_string_value(json_object_get(json, "waiting")), "LD_PRELOAD=/j?rgen.so");
    ck_assert_str_eq(json_string_value(json_object_get(json, "trouble")), "?");
    json_decref(json);
}

START_TEST(json_that_cannot_be_written_is_an_error)
{
    const struct report report = report_of_three();
    FILE *full = fopen("/dev/full", "w");

    setvbuf(full, NULL, _IONBF, 0);
    ck_assert_int_ne(report_print_json(&report, full), 0);
    fclose(full);
}

/* CPU time is no measure of work on processors that differ. */
START_TEST(there_is_no_theory_of_equal_processors_where_they_differ)
{
    struct report report = report_of_three();

    report.statistics.unequal = true;
    json_t *json = json_of(&report);
    ck_assert(json_is_null(json_object_get(json, "theory")));
    ck_assert_int_eq(number(json, "threads_count"), 3);
    json_decref(json);
}

static char *text_of(const struct report *report)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    report_print_text(report, out);
    fclose(out);
    return text;
}

START_TEST(moves_that_failed_say_why)
{
    struct report report = report_of_three();

    report.statistics.moves_failed_count = 11;
    report.statistics.failures.kinds[0].error = -EBUSY;
    report.statistics.failures.kinds[0].count = 7;
    report.statistics.failures.kinds[1].error = -EPERM;
    report.statistics.failures.kinds[1].count = 4;
    char *text = text_of(&report);
    ck_assert_ptr_nonnull(strstr(text,
                                 "; 11 failed: 7 as the program chose its processors (EBUSY), "
                                 "4 as it is not permitted (EPERM)\n"));
    free(text);
    json_t *json = json_of(&report);
    ck_assert_int_eq(number(json_object_get(json, "moves_failed"), "EBUSY"), 7);
    ck_assert_int_eq(number(json_object_get(json, "moves_failed"), "EPERM"), 4);
    json_decref(json);
}

START_TEST(those_that_are_counted_only_did_work_too)
{
    struct report report = report_of_three();

    report.statistics.threads_dropped = 5;
    report.statistics.dropped_progress_ns = 600;
    char *text = text_of(&report);
    ck_assert_ptr_nonnull(
        strstr(text, "  and 5 more that computed for a while, with 600 ns of work in all\n"));
    ck_assert_ptr_nonnull(strstr(text, "spread of progress 400 ns, 133.33 % of the mean"));
    free(text);
    json_t *json = json_of(&report);
    ck_assert_int_eq(number(json, "threads_dropped"), 5);
    ck_assert_int_eq(number(json, "dropped_progress_ns"), 600);
    ck_assert_int_eq(number(json_object_get(json, "theory"), "static_ns"), 1000);
    json_decref(json);
}

START_TEST(one_thread_is_one)
{
    struct report report = report_of_three();

    report.threads_count = 1;
    char *text = text_of(&report);
    ck_assert_ptr_nonnull(strstr(text, " 1  thread on 2 processors in 1 domain\n"));
    free(text);
}

/* If no other processor has come. */
START_TEST(one_processor_is_one)
{
    struct report report = report_of_three();

    report.statistics.processors_count = 1;
    char *text = text_of(&report);
    ck_assert_ptr_nonnull(strstr(text, "threads on 1 processor in 1 domain\n"));
    free(text);
}

START_TEST(text_names_threads_and_theory)
{
    const struct report report = report_of_three();
    char *text = text_of(&report);

    ck_assert_ptr_nonnull(strstr(text, "Juggle report for app"));
    ck_assert_ptr_nonnull(strstr(text, "threads on 2 processors in 1 domain\n"));
    ck_assert_ptr_nonnull(strstr(text, "600 ns  static balancing, (1)"));
    ck_assert_ptr_nonnull(strstr(text, "spread of progress 400 ns, 133.33 % of the mean"));
    free(text);
}

START_TEST(a_quota_is_told_with_its_periods)
{
    struct report report = report_of_three();
    json_t *json = json_of(&report);
    char *text = text_of(&report);

    ck_assert(json_is_null(json_object_get(json, "quota")));
    ck_assert_ptr_null(strstr(text, "quota"));
    json_decref(json);
    free(text);
    report.taken.limited = true;
    json = json_of(&report);
    ck_assert_int_eq(number(json_object_get(json, "quota"), "throttled_count"), 0);
    text = text_of(&report);
    ck_assert_ptr_null(strstr(text, "quota"));
    json_decref(json);
    free(text);
    report.taken.periods_count = 40;
    report.taken.throttled_count = 12;
    report.taken.throttled_ns = 300 * NSEC_PER_MSEC;
    json = json_of(&report);
    const json_t *quota = json_object_get(json, "quota");
    ck_assert_int_eq(number(quota, "periods_count"), 40);
    ck_assert_int_eq(number(quota, "throttled_count"), 12);
    ck_assert_int_eq(number(quota, "throttled_ns"), 300000000);
    text = text_of(&report);
    ck_assert_ptr_nonnull(strstr(
        text, "300 ms  withheld by the quota of the control group, in 12 of its 40 periods"));
    json_decref(json);
    free(text);
}

START_TEST(no_word_of_a_command_and_no_reason_acts_on_a_terminal)
{
    static char *const evil[] = {"\033[2J", "a\r\nforged", NULL};
    struct report report = report_of_three();

    report.command = evil;
    report.statistics.shortfall = "of \033[31mred";
    char *text = text_of(&report);
    ck_assert_ptr_nonnull(strstr(text, "report for \\x1b[2J a\\x0d\\x0aforged:\n"));
    ck_assert_ptr_nonnull(strstr(text, "not all was balanced: of \\x1b[31mred\n"));
    ck_assert_ptr_null(strchr(text, '\033'));
    free(text);
    report.trouble = "process 7 (\033[31mred\n) is balanced already";
    text = text_of(&report);
    ck_assert_ptr_nonnull(
        strstr(text, "not balanced: process 7 (\\x1b[31mred\\x0a) is balanced already\n"));
    free(text);
}

SUITE("report")
