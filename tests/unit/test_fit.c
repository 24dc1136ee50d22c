/* SPDX-License-Identifier: BSD-3-Clause */
/* Accounts of made-up threads on made-up processors: which explanation holds, and which figures
 * it gives. */
#include "tests/lib/suite.h"

#include "libjuggle/policy/state.h"

#include <math.h>

enum { COUNT = 4, ACCOUNTS = 20 };

#define MS (1e6)

static struct policy *policy;

static void setup(void)
{
    const struct policy_options options = {.kind = POLICY_STATIC, .threads_max = COUNT};
    struct move moves[COUNT];
    struct plan plan = {.moves = moves, .moves_max = COUNT};
    struct machine machine;

    ck_assert_int_eq(machine_uniform(COUNT, 1, &machine), 0);
    policy = policy_init(malloc((size_t)policy_footprint(&machine, &options)), &machine, &options);
    for (int i = 0; i < COUNT; i++) {
        const struct event event = {.type = EVENT_THREAD_ARRIVED, .subject = i, .domain = -1};
        policy_step(policy, &event, &plan);
    }
    policy_step(policy, &(struct event){.type = EVENT_START, .subject = -1}, &plan);
}

static double speed(int processor)
{
    return exp(policy->processors[processor].fit.speed_log - policy->processors[0].fit.speed_log);
}

static struct fit_thread *thread_of(int slot)
{
    return &policy->threads[slot].fit;
}

static bool account(bool reports_only)
{
    const struct fit_wish wish = {.speeds = true, .reports_only = reports_only};

    return fit_account(policy, &policy->domains[0], &wish);
}

/* Every thread moves on by `step` processors from one account to the next. */
static void run(const double *works, const double *speeds, int step)
{
    for (int k = 0; k < ACCOUNTS; k++) {
        for (int i = 0; i < COUNT; i++) {
            const int processor = (i + k * step) % COUNT;
            stints_add(&thread_of(i)->stints, processor, 10 * MS * works[i] / speeds[processor], 0);
        }
        ck_assert(account(false));
    }
}

static const struct fit *found(void)
{
    return &policy->domains[0].fit;
}

static const double alike[COUNT] = {1, 1, 1, 1};

START_TEST(slow_processors_are_told_from_moving_threads)
{
    setup();
    run(alike, (const double[]){1, 0.6, 1, 0.4}, 1);
    ck_assert_double_lt(found()->unequal_error, found()->alike_error / 100);
    ck_assert_double_eq_tol(speed(1), 0.6, 0.006);
    ck_assert_double_eq_tol(speed(2), 1.0, 0.010);
    ck_assert_double_eq_tol(speed(3), 0.4, 0.004);
    free(policy);
}

START_TEST(who_has_more_to_do_is_no_slow_processor)
{
    setup();
    run((const double[]){2, 1, 1, 1.3}, alike, 1);
    ck_assert_double_lt(found()->alike_error, 1e-6);
    ck_assert_double_gt(found()->unequal_error, found()->alike_error);
    free(policy);
}

START_TEST(where_nobody_moves_both_explain_it)
{
    setup();
    run((const double[]){2, 1, 1, 1}, (const double[]){1, 0.5, 1, 1}, 0);
    ck_assert_double_lt(found()->alike_error, 1e-6);
    ck_assert_double_lt(found()->unequal_error, 1e-4);
    free(policy);
}

START_TEST(uneven_work_on_unequal_processors_is_told_apart)
{
    setup();
    for (int i = 0; i < 4; i++)
        run((const double[]){1.5, 1, 1, 1}, (const double[]){1, 1, 0.5, 0.5}, 1);
    ck_assert_double_lt(found()->unequal_error, found()->alike_error / 9);
    ck_assert_double_eq_tol(speed(2), 0.5, 0.015);
    free(policy);
}

START_TEST(what_changed_is_learned_anew)
{
    setup();
    run(alike, (const double[]){1, 0.5, 1, 1}, 1);
    for (int i = 0; i < 3; i++)
        run(alike, (const double[]){1, 1, 1, 0.5}, 1);
    ck_assert_double_eq_tol(speed(1), 1, 0.03);
    ck_assert_double_eq_tol(speed(3), 0.5, 0.015);
    free(policy);
}

START_TEST(reports_tell_of_unlike_parts_of_the_work)
{
    setup();
    for (int k = 0; k < ACCOUNTS; k++) {
        for (int i = 0; i < COUNT; i++) {
            const int processor = (i + k) % COUNT;
            const double run_ns = (1 + (i + 3 * k) % 5) * MS;
            thread_of(i)->reports = true;
            thread_of(i)->done_ns = run_ns * (processor == 2 ? 0.7 : 1);
            stints_add(&thread_of(i)->stints, processor, run_ns, 0);
        }
        ck_assert(!account(false));
        ck_assert(account(true));
    }
    ck_assert_double_eq_tol(speed(2), 0.7, 0.007);
    free(policy);
}

START_TEST(what_is_blurred_does_not_count)
{
    setup();
    for (int i = 0; i < COUNT; i++) {
        stints_add(&thread_of(i)->stints, i, MS, 0);
        thread_of(i)->blurred = i != 3;
    }
    ck_assert(!account(false));
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j <= STINTS_MAX; j++)
            stints_add(&thread_of(i)->stints, j, MS, 0);
    ck_assert(!account(false));
    free(policy);
}

SUITE("fit")
