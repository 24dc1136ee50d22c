/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/theory/condition.h"

#include <stdbool.h>

enum theory_condition condition_check_case(const struct theory_case *app)
{
    const bool sound = app->n >= 1 && app->m >= 1 && app->e_ns >= 1 && app->lambda_ns >= 1 &&
                       app->phases >= 1 && app->domains >= 1 && app->domains <= app->m;

    return sound ? THEORY_HOLDS : THEORY_NEEDS_A_CASE;
}

static bool case_balanced(const struct theory_case *app)
{
    return app->n <= app->m || app->n % app->m == 0;
}

enum theory_condition condition_check_imbalance(const struct theory_case *app)
{
    const enum theory_condition condition = condition_check_case(app);

    if (condition)
        return condition;
    return case_balanced(app) ? THEORY_NEEDS_IMBALANCE : THEORY_HOLDS;
}

/* lambda < count e c, exact where the product would overflow. */
static bool period_below(const struct theory_case *app, int count)
{
    return app->lambda_ns / ceil_div(app->n, app->m) / count < app->e_ns;
}

enum theory_condition condition_check_short_period(const struct theory_case *app)
{
    const enum theory_condition condition = condition_check_imbalance(app);

    if (condition)
        return condition;
    return period_below(app, 1) ? THEORY_HOLDS : THEORY_NEEDS_SHORT_PERIOD;
}

enum theory_condition condition_check_long_period(const struct theory_case *app)
{
    const enum theory_condition condition = condition_check_imbalance(app);

    if (condition)
        return condition;
    if (period_below(app, 1))
        return THEORY_NEEDS_LONG_PERIOD;
    return period_below(app, app->phases) ? THEORY_HOLDS : THEORY_NEEDS_A_POINT;
}

enum theory_condition condition_check_fast_slots(const struct theory_case *app)
{
    const enum theory_condition condition = condition_check_imbalance(app);

    if (condition)
        return condition;
    const struct theory_slots slots = theory_slots(app->n, app->m);
    return slots.n_fast >= slots.n_slow ? THEORY_HOLDS : THEORY_NEEDS_FAST_SLOTS;
}
