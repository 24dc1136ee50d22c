/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/predict/equations.h"

#include <assert.h>

/* ---- results other than the time of the whole run ---- */

static enum theory_condition turned_slow(const struct theory_case *app, double *time_ns)
{
    double turned_fast_ns;

    return theory_one_point(app, (double)app->lambda_ns, time_ns, &turned_fast_ns);
}

static enum theory_condition turned_fast(const struct theory_case *app, double *time_ns)
{
    double turned_slow_ns;

    return theory_one_point(app, (double)app->lambda_ns, &turned_slow_ns, time_ns);
}

static enum theory_condition points(const struct theory_case *app, double *count)
{
    int whole;
    const enum theory_condition condition = theory_points(app, &whole);

    if (!condition)
        *count = whole;
    return condition;
}

static enum theory_condition calls(const struct theory_case *app, double *count)
{
    int whole;
    const enum theory_condition condition = theory_reactive_calls(app, &whole);

    if (!condition)
        *count = whole;
    return condition;
}

static enum theory_condition fast_after_a_call(const struct theory_case *app, double *count)
{
    return theory_reactive_fast(app, 1, count);
}

static enum theory_condition migrations_bound(const struct theory_case *app, double *count)
{
    *count = theory_migrations_bound(app->n, app->m);
    return THEORY_HOLDS;
}

static enum theory_condition migrations_mean(const struct theory_case *app, double *count)
{
    *count = theory_migrations_mean(app->n, app->m);
    return THEORY_HOLDS;
}

/* ---- the tables ---- */

static const struct equal_row {
    const char *number;
    const char *text;
    enum theory_condition (*result)(const struct theory_case *app, double *value);
    bool counted;
} equal_rows[] = {
    {"(1), (16)", "static", theory_static, false},
    {"(2)", "the least for one phase with this period", theory_single_bound, false},
    {"(3)", "how far a thread lags at a balancing point", theory_lag, false},
    {"(14), (15)", "continuous balancing", theory_continuous, false},
    {"(25)", "all phases with this period", theory_short_period, false},
    {"(20)", "a thread turned slow by a point at this period", turned_slow, false},
    {"(22)", "a thread turned fast by it", turned_fast, false},
    {"(23)", "the best instant for one balancing point", theory_best_instant, false},
    {"(24)", "a phase with one point at that instant", theory_one_point_minimum, false},
    {"(27)", "a phase with one point anywhere, on average", theory_one_point_mean, false},
    {"eta", "phases that contain a balancing point", points, true},
    {"(17)", "all phases, points at the best instants", theory_long_period_bound, false},
    {"(18)", "all phases, too many slow threads for one point", theory_long_period_static, false},
    {"(26)", "all phases, points anywhere", theory_long_period, false},
    {"(29)", "threads that run fast after one reactive call", fast_after_a_call, true},
    {"k", "reactive calls until all threads run fast", calls, true},
    {"(30)", "reactive", theory_reactive, false},
    {"recurrence", "reactive, for any threads and processors", theory_reactive_recurrence, false},
    {"5.5", "migrations at a balancing point, at most", migrations_bound, true},
    {"5.5", "migrations at a balancing point, on average", migrations_mean, true},
};

static const struct unequal_row {
    const char *number;
    const char *text;
    enum theory_condition (*result)(const struct theory_case *app,
                                    const struct unequal_machine *machine, double *time_ns);
} unequal_rows[] = {
    {"(1'), (16')", "static", unequal_static},
    {"placement", "placed by speed and left there", unequal_placed},
    {"(14'), (15')", "continuous balancing", unequal_continuous},
    {"(2'), (25')", "the least with this period", unequal_short_period},
    {"recurrence", "reactive", unequal_reactive},
};

static_assert(ARRAY_COUNT(equal_rows) <= EQUATIONS_MAX, "the list has room for all");
static_assert(ARRAY_COUNT(unequal_rows) <= EQUATIONS_MAX, "the list has room for all");

static int list_equal(const struct theory_case *app, struct equation *list)
{
    for (size_t i = 0; i < ARRAY_COUNT(equal_rows); i++) {
        const struct equal_row *row = &equal_rows[i];

        list[i] = (struct equation){
            .number = row->number, .text = row->text, .counted = row->counted};
        list[i].condition = row->result(app, &list[i].value);
    }
    return (int)ARRAY_COUNT(equal_rows);
}

static int list_unequal(const struct question *question, struct equation *list)
{
    for (size_t i = 0; i < ARRAY_COUNT(unequal_rows); i++) {
        const struct unequal_row *row = &unequal_rows[i];

        list[i] = (struct equation){.number = row->number, .text = row->text};
        list[i].condition = row->result(&question->app, &question->machine, &list[i].value);
    }
    return (int)ARRAY_COUNT(unequal_rows);
}

int equations_list(const struct question *question, struct equation list[EQUATIONS_MAX])
{
    return question_unequal(question) ? list_unequal(question, list)
                                      : list_equal(&question->app, list);
}
