/* SPDX-License-Identifier: BSD-3-Clause */
/* The checker of simulated ranks finds each broken promise that it has to watch. */
#include "tests/lib/suite.h"

#include "tools/steal-sim/checker.h"

enum { TASKS = 3, ROUNDS = 2 };

static const uint64_t node[TASKS][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};

static void expect(const struct checker *checker, const char *wrong)
{
    if (wrong)
        ck_assert_pstr_eq(checker_judge(checker), wrong);
    else
        ck_assert_ptr_null(checker_judge(checker));
}

/* ---- a tree -------------------------------------------------------------------------------- */

static void grow(struct checker *checker)
{
    ck_assert_int_eq(checker_open(false, 0, 1, checker), 0);
    checker_add_nodes(checker, node, sizeof(node[0]), TASKS);
}

START_TEST(nodes_may_be_executed_in_any_order)
{
    struct checker checker;

    grow(&checker);
    checker_execute_nodes(&checker, node[2], sizeof(node[0]), 1);
    checker_execute_nodes(&checker, node, sizeof(node[0]), 2);
    checker_end(&checker);
    expect(&checker, NULL);
    checker_close(&checker);
}

START_TEST(a_lost_node_is_found)
{
    struct checker checker;

    grow(&checker);
    checker_execute_nodes(&checker, node, sizeof(node[0]), 2);
    expect(&checker, "a task was lost");
    checker_close(&checker);
}

START_TEST(a_node_in_place_of_another_is_found)
{
    struct checker checker;

    grow(&checker);
    checker_execute_nodes(&checker, node, sizeof(node[0]), 2);
    checker_execute_nodes(&checker, node[1], sizeof(node[0]), 1);
    expect(&checker, "a task was executed twice, and another one never");
    checker_close(&checker);
}

START_TEST(an_end_before_the_last_task_is_found)
{
    struct checker checker;

    grow(&checker);
    checker_execute_nodes(&checker, node, sizeof(node[0]), 2);
    checker_end(&checker);
    checker_execute_nodes(&checker, node[2], sizeof(node[0]), 1);
    expect(&checker, "termination came too early");
    checker_close(&checker);
}

/* ---- a set --------------------------------------------------------------------------------- */

static void play_round(struct checker *checker, int round)
{
    checker_add(checker, TASKS);
    for (uint32_t task = 0; task < TASKS; task++)
        checker_execute(checker, task, round, 10);
    checker_end(checker);
}

/* Two rounds, in which a rank reports other times than the tasks took. */
static void play_set(struct checker *checker, int64_t expected_ns, int64_t load_ns)
{
    ck_assert_int_eq(checker_open(false, TASKS, ROUNDS, checker), 0);
    play_round(checker, 0);
    checker_account(checker, 0, 0, 30);
    checker_expect(checker, 1, 30);
    play_round(checker, 1);
    checker_account(checker, 1, expected_ns, load_ns);
}

static void expect_of_set(int64_t expected_ns, int64_t load_ns, const char *wrong)
{
    struct checker checker;

    play_set(&checker, expected_ns, load_ns);
    expect(&checker, wrong);
    checker_close(&checker);
}

START_TEST(rounds_may_be_played_again)
{
    expect_of_set(30, 30, NULL);
}

START_TEST(a_task_that_is_executed_twice_is_found)
{
    struct checker checker;

    play_set(&checker, 30, 30);
    checker_add(&checker, 1);
    checker_execute(&checker, 1, 1, 10);
    expect(&checker, "a task was executed twice, or one was not");
    checker_close(&checker);
}

START_TEST(time_that_nobody_accounts_for_is_found)
{
    expect_of_set(30, 29, "the time of a task was not accounted for");
}

START_TEST(load_that_balancing_gains_is_found)
{
    expect_of_set(31, 30, "balancing gained or lost what tasks take");
}

START_TEST(who_is_off_sees_nothing)
{
    struct checker checker;

    ck_assert_int_eq(checker_open(true, TASKS, ROUNDS, &checker), 0);
    checker_add(&checker, TASKS);
    checker_execute(&checker, 1, 1, 10);
    checker_add_nodes(&checker, node, sizeof(node[0]), 1);
    checker_end(&checker);
    expect(&checker, NULL);
    checker_close(&checker);
}

SUITE("checker")
