/* SPDX-License-Identifier: BSD-3-Clause */
/* The shares that are given out are never more than there is, whoever asks and however many ask. */
#include "tests/lib/suite.h"

#include "juggled/care/budget.h"
#include "libjuggle/job/allowance.h"

static const struct budget budgets[] = {
    {4, 3, 2}, {4, 3, 256}, {1, 1, 1}, {100, 100, 8}, {5, 1, 64}, {2, 100, 4},
};
static const int counts[] = {1, 2, 3, 8, 64, 512};

static int64_t all_ppm(const struct budget *budget, int percent)
{
    return (int64_t)percent * (SHARE_ALL_PPM / 100) * budget->processors_count;
}

/* Each part may be rounded up to one millionth, the least share. */
static void expect_within(int64_t sum_ppm, int64_t limit_ppm, int64_t parts)
{
    ck_assert_int_le(sum_ppm, limit_ppm + 2 * parts);
}

START_TEST(all_parts_together_are_the_share)
{
    for (size_t i = 0; i < ARRAY_COUNT(budgets); i++) {
        for (size_t j = 0; j < ARRAY_COUNT(counts); j++) {
            for (size_t k = 0; k < ARRAY_COUNT(counts); k++) {
                const struct budget *budget = &budgets[i];
                const int users = counts[j], jobs = counts[k];
                const int64_t user_ppm = (int64_t)jobs * budget_turns_ppm(budget, users, jobs) +
                                         (int64_t)jobs * budget_looks_ppm(budget, users, jobs);
                expect_within(user_ppm + budget_calls_ppm(budget),
                              all_ppm(budget, budget->percent_per_user), jobs);
                expect_within(users * user_ppm + budget_all_calls_ppm(budget),
                              all_ppm(budget, budget->percent), (int64_t)users * jobs);
            }
        }
    }
}

START_TEST(no_job_has_more_of_a_processor_than_all_of_the_node)
{
    const struct budget large = {4, 3, 256};

    ck_assert_int_eq(budget_turns_ppm(&large, 1, 1), 4 * SHARE_ALL_PPM / 100);
}

START_TEST(fewer_jobs_and_users_have_larger_shares)
{
    const struct budget budget = {4, 3, 2};

    ck_assert_int_eq(budget_turns_ppm(&budget, 1, 1), 30000);
    ck_assert_int_eq(budget_turns_ppm(&budget, 1, 2), 15000);
    ck_assert_int_eq(budget_turns_ppm(&budget, 2, 2), 10000);
    ck_assert_int_eq(budget_looks_ppm(&budget, 1, 1), 15000);
    ck_assert_int_eq(budget_turns_ppm(&budget, 1000, 100000), 1);
}

/* ---- shares that limit work ---- */

START_TEST(work_waits_until_it_is_paid_for)
{
    struct allowance allowance = {0};

    allowance_begin(&allowance, 100);
    allowance_end(&allowance, 50);
    ck_assert_int_eq(allowance_due_ns(&allowance, SHARE_ALL_PPM / 10), 100 + 500);
    ck_assert_int_eq(allowance_due_ns(&allowance, SHARE_ALL_PPM / 2), 100 + 100);
    ck_assert_int_eq(allowance_due_ns(&allowance, SHARE_ALL_PPM), INT64_MIN);
    allowance_begin(&allowance, 1000);
    allowance_end(&allowance, 60);
    ck_assert_int_eq(allowance_due_ns(&allowance, SHARE_ALL_PPM / 10), 1000 + 100);
}

SUITE("budget")
