/* SPDX-License-Identifier: BSD-3-Clause */
/* Predictions compared with the paper's numbers and with their own bounds. */
#include "tests/lib/suite.h"
#include "tests/lib/theory_case.h"

#include "libjuggle/theory/prediction.h"
#include "libjuggle/ground/prng.h"

enum { RANDOM_CASES = 3000 };

static const double tolerance = 1e-9;

static struct prediction prediction_of(const struct theory_case *app)
{
    struct prediction prediction;

    ck_assert_int_eq(prediction_make(app, &prediction), THEORY_HOLDS);
    return prediction;
}

START_TEST(upper_bounds_are_those_of_the_paper)
{
    static const struct {
        int n, m, domains;
        double bound;
    } cases[] = {
        {16, 12, 1, 1.5},      {8, 6, 1, 1.5},  {4, 3, 1, 1.5}, {13, 12, 1, 24.0 / 13},
        {25, 24, 1, 48. / 25}, {8, 7, 1, 1.75}, {8, 7, 2, 1.5}, {16, 12, 4, 1.5},
        {8, 6, 2, 1.5},        {16, 8, 1, 1},   {8, 8, 1, 1},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        struct theory_case app = case_of(cases[i].n, cases[i].m, 0.001, 1);
        app.domains = cases[i].domains;
        const struct prediction prediction = prediction_of(&app);

        ck_assert_double_eq_tol(prediction.upper_bound_speedup, cases[i].bound, tolerance);
        ck_assert_double_eq_tol(prediction.proactive.speedup, cases[i].bound, tolerance);
    }
}

START_TEST(prediction_names_its_equations)
{
    static const struct {
        int n, m;
        double lambda;
        int phases;
        const char *fixed, *reactive, *proactive;
        double time;
    } cases[] = {
        {16, 12, 0.01, 1, "(1)", "(30)", "(14)", 4.0 / 3},
        {8, 7, 1, 1, "(1)", "(30)", "(2)", 1.5},
        {8, 7, 0.01, 10, "(16)", "(30)", "(15)", 80.0 / 7},
        {8, 7, 1, 10, "(16)", "(30)", "(25)", 15},
        {8, 7, 3, 10, "(16)", "(30)", "(26)", 18.5},
        {13, 7, 3, 10, "(16)", "(30)", "(18)", 20},
        {8, 7, 4, 10, "(16)", "(30)", "(16)", 20}, /* every balancing point falls on a barrier */
        {8, 7, 2, 1, "(1)", "(30)", "(1)", 2},
        {17, 8, 0.01, 1, "(1)", "recurrence", "(14)", 2.125},
        {16, 8, 0.01, 1, "(1)", "(1)", "(1)", 2},
        {3, 8, 0.01, 5, "(16)", "(16)", "(16)", 5},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const struct theory_case app = case_of(cases[i].n, cases[i].m, cases[i].lambda,
                                               cases[i].phases);
        const struct prediction prediction = prediction_of(&app);

        ck_assert_str_eq(prediction.fixed.equation, cases[i].fixed);
        ck_assert_str_eq(prediction.reactive.equation, cases[i].reactive);
        ck_assert_str_eq(prediction.proactive.equation, cases[i].proactive);
        ck_assert_double_eq_tol(in_e(prediction.proactive.time_ns), cases[i].time, 1e-6);
    }
}

START_TEST(prediction_keeps_to_its_bounds)
{
    struct prng prng;

    prng_seed(&prng, 6);
    for (int i = 0; i < RANDOM_CASES; i++) {
        const int n = 1 + (int)prng_below(&prng, 200);
        const int m = 1 + (int)prng_below(&prng, 200);
        struct theory_case app = case_of(n, m, 0.001 + 5 * prng_unit(&prng),
                                         1 + (int)prng_below(&prng, 50));
        const struct prediction prediction = prediction_of(&app);

        ck_assert_double_ge(prediction.proactive.speedup, 1 - tolerance);
        ck_assert_double_le(prediction.proactive.speedup,
                            prediction.upper_bound_speedup + tolerance);
        ck_assert_double_ge(prediction.reactive.speedup, 1 - tolerance);
        ck_assert_double_le(prediction.reactive.speedup,
                            prediction.upper_bound_speedup + tolerance);
        ck_assert_double_le(prediction.upper_bound_speedup, 2);
    }
}

START_TEST(domains_share_threads_and_processors_cyclically)
{
    struct prng prng;

    prng_seed(&prng, 7);
    for (int i = 0; i < RANDOM_CASES; i++) {
        struct theory_case app = case_of(1 + (int)prng_below(&prng, 200),
                                         1 + (int)prng_below(&prng, 200), 0.01, 1);
        int n = 0, m = 0;
        app.domains = 1 + (int)prng_below(&prng, (uint64_t)app.m);

        for (int index = 0; index < app.domains; index++) {
            const struct theory_case domain = prediction_domain(&app, index);
            ck_assert_int_eq(domain.n, app.n / app.domains + (index < app.n % app.domains));
            ck_assert_int_eq(domain.m, app.m / app.domains + (index < app.m % app.domains));
            n += domain.n;
            m += domain.m;
        }
        ck_assert_int_eq(n, app.n);
        ck_assert_int_eq(m, app.m);
    }
}

/* 14 threads on 7 processors are even, but 7 on 4 and 7 on 3 processors are not. */
START_TEST(the_slowest_domain_decides)
{
    struct theory_case app = case_of(14, 7, 0.01, 1);
    app.domains = 2;
    const struct prediction prediction = prediction_of(&app);

    ck_assert_double_eq_tol(in_e(prediction.fixed.time_ns), 2, tolerance);
    ck_assert_double_eq_tol(in_e(prediction.reactive.time_ns), 2, tolerance);
    ck_assert_double_eq_tol(in_e(prediction.proactive.time_ns), 7.0 / 3, tolerance);
    ck_assert_double_eq_tol(prediction.proactive.speedup, 6.0 / 7, tolerance);
}

/* ---- unequal processors ---- */

static struct unequal_machine machine_of(double smt, int fast, double slow_speed, int slow)
{
    struct unequal_machine machine;

    unequal_machine_begin(smt, &machine);
    for (int i = 0; i < fast; i++)
        ck_assert_int_eq(unequal_machine_add(&machine, 1, smt < 1 ? 2 : 1), 0);
    for (int i = 0; i < slow; i++)
        ck_assert_int_eq(unequal_machine_add(&machine, slow_speed, 1), 0);
    return machine;
}

START_TEST(equal_speeds_are_predicted_as_the_paper_does)
{
    const struct unequal_machine machine = machine_of(1, 7, 1, 0);

    for (int n = 7; n <= 30; n++) {
        const struct theory_case app = case_of(n, 7, 0.2, 3);
        const struct prediction plain = prediction_of(&app);
        struct prediction unequal;

        ck_assert_int_eq(prediction_make_unequal(&app, &machine, &unequal), THEORY_HOLDS);
        ck_assert_double_eq_tol(unequal.fixed.time_ns, plain.fixed.time_ns, 1);
        ck_assert_double_eq_tol(unequal.placed.time_ns, plain.placed.time_ns, 1);
        ck_assert_double_eq_tol(unequal.reactive.time_ns, plain.reactive.time_ns, 1);
        ck_assert_double_eq_tol(unequal.proactive.time_ns, plain.proactive.time_ns, 1);
        ck_assert_double_eq_tol(unequal.upper_bound_speedup, plain.upper_bound_speedup, tolerance);
    }
}

START_TEST(unequal_predictions_name_their_equations)
{
    const struct unequal_machine hybrid = machine_of(1, 4, 0.6, 4);
    static const struct {
        double lambda;
        int phases;
        const char *fixed, *proactive;
        double time;
    } cases[] = {
        {0.01, 1, "(1')", "(14')", 1.25},        {0.01, 10, "(16')", "(15')", 12.5},
        {0.9, 1, "(1')", "(2')", 1 + 0.9 * 0.4}, {0.9, 10, "(16')", "(25')", 10 + 9 * 0.4},
        {1.5, 1, "(1')", "(1')", 1 / 0.6}, /* the remaining threads, when the fast processors are
                                              done */
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const struct theory_case app = case_of(8, 8, cases[i].lambda, cases[i].phases);
        struct prediction prediction;

        ck_assert_int_eq(prediction_make_unequal(&app, &hybrid, &prediction), THEORY_HOLDS);
        ck_assert_str_eq(prediction.fixed.equation, cases[i].fixed);
        ck_assert_str_eq(prediction.proactive.equation, cases[i].proactive);
        ck_assert_double_eq_tol(in_e(prediction.proactive.time_ns), cases[i].time, 1e-6);
    }
}

SUITE("prediction")
