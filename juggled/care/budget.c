/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/budget.h"

#include "libjuggle/job/allowance.h"

enum {
    PERCENT_PPM = SHARE_ALL_PPM / 100,
    /* Divisors: the parts of a user's share. */
    TURNS_PART = 2,
    LOOKS_PART = 4,
    CALLS_PART = 4,
};

static int64_t all_ppm(const struct budget *budget, int percent)
{
    return (int64_t)percent * PERCENT_PPM * budget->processors_count;
}

static int share(int64_t ppm, int64_t parts)
{
    return (int)clamp_i64(ppm / parts, 1, SHARE_ALL_PPM);
}

int64_t budget_user_ppm(const struct budget *budget, int users_count)
{
    return min_i64(all_ppm(budget, budget->percent_per_user),
                   all_ppm(budget, budget->percent) / max_i64(1, users_count));
}

int budget_turns_ppm(const struct budget *budget, int users_count, int jobs_count)
{
    const int64_t user_ppm = budget_user_ppm(budget, users_count);
    const int64_t one_ppm = (int64_t)budget->percent * PERCENT_PPM;

    return (int)min_i64(share(user_ppm, TURNS_PART * max_i64(1, jobs_count)), one_ppm);
}

int budget_looks_ppm(const struct budget *budget, int users_count, int jobs_count)
{
    return share(budget_user_ppm(budget, users_count), LOOKS_PART * max_i64(1, jobs_count));
}

int budget_calls_ppm(const struct budget *budget)
{
    return share(budget_user_ppm(budget, 1), CALLS_PART);
}

int budget_all_calls_ppm(const struct budget *budget)
{
    return share(all_ppm(budget, budget->percent), CALLS_PART);
}
