/* SPDX-License-Identifier: BSD-3-Clause */
/* The line at the end: what it says about the run, what it advises, and that it is only printed
 * when asked for. */
#include "tests/lib/lone.h"
#include "tests/lib/suite.h"

#include "libjuggle/steal/runtime/account.h"

#include <string.h>

static const struct account_scene four = {.name = "visit", .ranks = 4, .workers = 1};

/* Four ranks, each of which worked for one second and idled for a fifth of a second. */
static const struct account idle = {.processes = 1,
                                    .tasks = 4000,
                                    .attempted = 50,
                                    .successful = 20,
                                    .working_ns = 4 * NSEC_PER_SEC,
                                    .idle_ns = 8 * NSEC_PER_SEC / 10,
                                    .elapsed_ns = 12 * NSEC_PER_SEC / 10,
                                    .load_max_ns = 1.1e9,
                                    .arose_max_ns = 1e9,
                                    .load_mean_ns = 1e9,
                                    .batch = 1};

static void advises(struct account account, struct account_scene scene, const char *part)
{
    const char *advice = account_advise(&account, &scene);

    expect_says(advice, part);
}

START_TEST(a_line_says_what_happened)
{
    struct account account = idle;
    char line[512];

    account.arose_max_ns = 3.98e9;
    account_line(&account, &four, line, sizeof(line));
    ck_assert_str_eq(
        line,
        "visit: 4000 tasks in 1 steal_process(), 1.200 s on 4 x 1 workers; "
        "imbalance 3.98 where they were added, 1.10 where they ran; 20 of "
        "50 steal requests succeeded; 16.7 % idle; add tasks on all ranks, or deal the first ones "
        "out with steal_scatter()");
    account = (struct account){.processes = 1, .batch = 1};
    account_line(&account, &four, line, sizeof(line));
    ck_assert_msg(strstr(line, ": 0 tasks in 1 ") && strstr(line, "imbalance 1.00 ") &&
                      strstr(line, " 0.0 % idle; no setting"),
                  "%s", line);
    account.tasks = 1;
    account_line(&account, &four, line, sizeof(line));
    ck_assert_msg(strstr(line, ": 1 task in 1 "), "%s", line);
}

START_TEST(advice_follows_from_what_happened)
{
    struct account_scene crowded = four;
    struct account account = idle;

    crowded.crowded = true;
    advises(idle, crowded, "no more threads than there are processors");
    advises(idle, four, "the longest tasks first");
    account.ordered = true;
    advises(account, four, "cut the longest tasks");
    account.arose_max_ns = 4e9;
    advises(account, four, "steal_scatter()");
    account.attempted = 4000;
    advises(account, four, "lifelines=2");
    account.processes = 10;
    advises(account, four, "steal_restore()");
    account.retains = true;
    advises(account, four, "balance_if_it_pays=1");
    account.balances = true;
    advises(account, four, "lifelines=2");
    account.tasks = 100;
    advises(account, four, "more tasks");
    account.idle_ns = account.working_ns / 100;
    advises(account, four, "no setting");
    account.tasks = 1 << 30;
    advises(account, four, "set batch");
    account.batch = 16;
    advises(account, four, "no setting");
}

START_TEST(who_asks_has_an_account_of_each_function)
{
    const struct steal_options asked = {.size = sizeof(struct steal_options), .report = 1};
    struct steal_options parsed = {.size = sizeof(parsed)};
    struct steal_error error;

    lone_open((struct steal_properties){0});
    ck_assert_ptr_null(lone.runtime->account);
    lone_close();
    ck_assert_int_eq(steal_options_parse(&parsed, "report", &error), 0);
    ck_assert_int_eq(parsed.report, 1);
    ck_assert_int_eq(steal_options_parse(&parsed, "report=0", &error), 0);
    ck_assert_int_eq(parsed.report, 0);
    ck_assert_int_eq(steal_options_parse(&parsed, "workers", &error), -22);
    ck_assert_str_eq(error.message, "'workers' has no value: it is workers=VALUE");
    lone_open_function((struct steal_properties){.retain = STEAL_RETENTION_SEEDED}, &asked,
                       lone_note);
    lone_add(1);
    lone_add(2);
    lone_process();
    lone_restore_and_process();
    ck_assert_ptr_nonnull(lone.runtime->account);
    ck_assert_int_eq(lone.runtime->account[0].processes, 2);
    ck_assert_int_eq(lone.runtime->account[0].tasks, 4);
    ck_assert(lone.runtime->account[0].retains);
    lone_close();
}

SUITE("steal account")
