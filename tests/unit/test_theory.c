/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The theory compared with the paper's own numbers and with brute force: a fair machine that runs
 * threads to their end, and on which Fig. 4 spreads them anew at any instants that a test chooses.
 */
#include "tests/lib/suite.h"
#include "tests/lib/theory_case.h"

#include "libjuggle/ground/prng.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { N_MAX = 128, RANDOM_CASES = 3000 };

static const double tolerance = 1e-9;

/* Returns the result of `function` in units of e; its condition must hold. */
static double value(enum theory_condition (*function)(const struct theory_case *, double *),
                    const struct theory_case *app)
{
    double time_ns = NAN;
    const enum theory_condition condition = function(app, &time_ns);

    ck_assert_msg(condition == THEORY_HOLDS, "n=%d m=%d needs %s", app->n, app->m,
                  theory_condition_text(condition));
    return in_e(time_ns);
}

/* A random n and m with an imbalance. */
static void random_mismatch(struct prng *prng, int n_max, int *n, int *m)
{
    do {
        *n = 3 + (int)prng_below(prng, (uint64_t)n_max - 2);
        *m = 2 + (int)prng_below(prng, (uint64_t)*n - 2);
    } while (*n % *m == 0);
}

/* ---- the fair machine ---- */

struct fair {
    int n;
    int m;
    double now;
    double left[N_MAX]; /* work of each thread; 0 when it waits at the barrier */
    int processor[N_MAX];
};

static int fair_running(const struct fair *fair)
{
    int running = 0;

    for (int i = 0; i < fair->n; i++)
        running += fair->left[i] > 0;
    return running;
}

static const struct fair *sorted_machine;

static int compare_progress(const void *a, const void *b)
{
    const int i = *(const int *)a;
    const int j = *(const int *)b;
    const double difference = sorted_machine->left[j] - sorted_machine->left[i];

    if (fabs(difference) < tolerance)
        return i - j;
    return difference > 0 ? 1 : -1;
}

/* Fig. 4, lines 6 to 32: least progress first, fast processors first, both cyclically. */
static void fair_spread(struct fair *fair)
{
    int order[N_MAX];
    int running = 0;

    for (int i = 0; i < fair->n; i++)
        if (fair->left[i] > 0)
            order[running++] = i;
    sorted_machine = fair;
    qsort(order, (size_t)running, sizeof(order[0]), compare_progress);
    const int slow_processors = running > fair->m ? running % fair->m : 0;
    const int fast_processors = fair->m - slow_processors;
    const int fast = running > fair->m ? fast_processors * (running / fair->m) : running;
    for (int j = 0; j < running; j++)
        fair->processor[order[j]] = j < fast ? j % fast_processors
                                             : fast_processors + (j - fast) % slow_processors;
}

static struct fair fair_start(int n, int m)
{
    struct fair fair = {.n = n, .m = m};

    for (int i = 0; i < n; i++)
        fair.left[i] = 1;
    fair_spread(&fair);
    return fair;
}

/* Runs until `limit`, or until a thread is done if that comes first. */
static void fair_run(struct fair *fair, double limit)
{
    int load[N_MAX] = {0};
    double spell = limit - fair->now;

    for (int i = 0; i < fair->n; i++)
        load[fair->processor[i]] += fair->left[i] > 0;
    for (int i = 0; i < fair->n; i++)
        if (fair->left[i] > 0)
            spell = fmin(spell, fair->left[i] * load[fair->processor[i]]);
    for (int i = 0; i < fair->n; i++) {
        if (fair->left[i] > 0)
            fair->left[i] -= spell / load[fair->processor[i]];
        if (fair->left[i] < tolerance / 10)
            fair->left[i] = 0;
    }
    fair->now = fair->now + spell;
}

static void fair_run_until(struct fair *fair, double limit)
{
    while (fair->now < limit && fair_running(fair))
        fair_run(fair, limit);
}

/* One phase with a balancing point at each multiple of lambda. */
static double fair_proactive(int n, int m, double lambda)
{
    struct fair fair = fair_start(n, m);

    for (int k = 1; fair_running(&fair); k++) {
        fair_run_until(&fair, k * lambda);
        fair_spread(&fair);
    }
    return fair.now;
}

static double fair_one_point(int n, int m, double t_lb)
{
    struct fair fair = fair_start(n, m);

    fair_run_until(&fair, t_lb);
    fair_spread(&fair);
    fair_run_until(&fair, INFINITY);
    return fair.now;
}

static double fair_reactive(int n, int m)
{
    struct fair fair = fair_start(n, m);

    while (fair_running(&fair)) {
        fair_run(&fair, INFINITY);
        fair_spread(&fair);
    }
    return fair.now;
}

/* ---- numbers of the paper ---- */

START_TEST(reactive_line_of_figure_9)
{
    static const double time_on_8[] = {1.5, 1.5, 1.5, 1.5, 1.75, 1.75, 1.875}; /* n = 9 .. 15 */

    for (int n = 9; n < 16; n++) {
        const struct theory_case app = case_of(n, 8, 0.001, 1);
        const double printed = 2 - exp2(floor(log2(2 - n / 8.0)));

        ck_assert_double_eq_tol(value(theory_reactive, &app), time_on_8[n - 9], tolerance);
        ck_assert_double_eq_tol(value(theory_reactive, &app), printed, tolerance);
    }
}

START_TEST(slots_are_those_of_figure_5)
{
    const struct theory_slots slots = theory_slots(9, 4);

    ck_assert_int_eq(slots.slow_processors, 1);
    ck_assert_int_eq(slots.fast_processors, 3);
    ck_assert_int_eq(slots.n_slow, 3);
    ck_assert_int_eq(slots.n_fast, 6);
}

START_TEST(migrations_are_those_of_section_5_5)
{
    ck_assert_int_eq(theory_migrations_bound(8, 7), 4);
    ck_assert_double_eq_tol(theory_migrations_mean(8, 7), 3, tolerance);
    ck_assert_int_eq(theory_migrations_bound(16, 8), 0);
    ck_assert_double_eq_tol(theory_migrations_mean(3, 8), 0, tolerance);
}

/* ---- one phase, against brute force ---- */

/* With lambda = c f, in units in which work is an integer, Lemma 1 says: at most two values, 1
 * apart. */
static int progress_spread(const int *progress, int n)
{
    int least = progress[0];
    int most = progress[0];

    for (int i = 1; i < n; i++) {
        least = progress[i] < least ? progress[i] : least;
        most = progress[i] > most ? progress[i] : most;
    }
    return most - least;
}

/* One period by Fig. 4: the n_fast threads of least progress gain c, the others f. */
static void progress_by_figure_4(int *progress, int n, int m)
{
    const struct theory_slots slots = theory_slots(n, m);
    int least = progress[0];
    int fast = slots.n_fast;

    for (int i = 1; i < n; i++)
        least = progress[i] < least ? progress[i] : least;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++)
            if (progress[i] == least + pass && fast > 0) {
                progress[i] = -(progress[i] + slots.ceil);
                fast--;
            }
    for (int i = 0; i < n; i++)
        progress[i] = progress[i] < 0 ? -progress[i] : progress[i] + slots.floor;
}

START_TEST(lemma_1_lag_is_nothing_or_one_period_over_cf)
{
    struct prng prng;

    prng_seed(&prng, 1);
    for (int i = 0; i < RANDOM_CASES; i++) {
        int progress[N_MAX] = {0};
        int n, m;
        random_mismatch(&prng, N_MAX, &n, &m);
        const struct theory_slots slots = theory_slots(n, m);
        const struct theory_case app = case_of(n, m, slots.ceil * slots.floor, 1);

        ck_assert_double_eq_tol(value(theory_lag, &app), 1, tolerance);
        for (int k = 1; k <= 2 * n; k++) {
            progress_by_figure_4(progress, n, m);
            const int spread = progress_spread(progress, n);
            ck_assert_msg(spread == (k * (int64_t)slots.n_slow % n != 0), "n=%d m=%d k=%d: lag %d",
                          n, m, k, spread);
        }
    }
}

START_TEST(bounds_2_and_14_are_never_beaten)
{
    struct prng prng;

    prng_seed(&prng, 2);
    for (int i = 0; i < RANDOM_CASES; i++) {
        int n, m;
        random_mismatch(&prng, 40, &n, &m);
        const double lambda = (0.02 + 0.97 * prng_unit(&prng)) * ceil_div(n, m);
        const struct theory_case app = case_of(n, m, lambda, 1);
        const double time = fair_proactive(n, m, in_e((double)app.lambda_ns));

        ck_assert_double_ge(time, value(theory_single_bound, &app) - 1e-6);
        ck_assert_double_ge(time, value(theory_continuous, &app) - 1e-6);
        ck_assert_double_le(time, value(theory_static, &app) + 1e-6);
    }
}

/* One thread per processor, once the first threads are done: the bound is then a prediction. */
START_TEST(bound_2_is_met_by_periods_above_e)
{
    for (int m = 3; m <= 40; m++)
        for (int n = m + 1; 2 * (n - m) <= m; n++) {
            const struct theory_case app = case_of(n, m, 1.5, 1);

            ck_assert_double_eq_tol(fair_proactive(n, m, 1.5), value(theory_single_bound, &app),
                                    1e-6);
        }
}

START_TEST(small_periods_come_within_3_percent_of_14)
{
    struct prng prng;

    prng_seed(&prng, 3);
    for (int i = 0; i < RANDOM_CASES / 10; i++) {
        int n, m;
        random_mismatch(&prng, 40, &n, &m);
        const struct theory_case app = case_of(n, m, 0.01, 1);

        ck_assert_double_le(fair_proactive(n, m, 0.01), 1.03 * value(theory_continuous, &app));
    }
}

/* ---- one balancing point: Theorem 2, (27) ---- */

/* Returns when a thread with rate 1/before until t_lb, and 1/after from then on, is done, by
 * integration. */
static double integrate(double before, double after, double t_lb)
{
    static const double step = 1e-4;
    double now = 0;

    for (double left = 1; left > 0; now += step)
        left -= step / (now < t_lb ? before : after);
    return now;
}

START_TEST(one_point_agrees_with_integration_over_every_instant)
{
    for (int f = 1; f <= 6; f++) {
        /* One slow processor: n_slow = c <= 2 f = n_fast. */
        const struct theory_case app = case_of(3 * f + 1, 3, 100, 1);
        double best = INFINITY;
        double best_t_lb = 0;

        for (double t_lb = 0; t_lb <= f; t_lb += 0.01) {
            double slow_ns, fast_ns;
            const double slow = integrate(f, f + 1, t_lb);
            const double fast = integrate(f + 1, f, t_lb);

            ck_assert_int_eq(theory_one_point(&app, t_lb * 1e9, &slow_ns, &fast_ns), THEORY_HOLDS);
            ck_assert_double_eq_tol(in_e(slow_ns), slow, 1e-3);
            ck_assert_double_eq_tol(in_e(fast_ns), fast, 1e-3);
            if (fmax(slow, fast) < best) {
                best = fmax(slow, fast);
                best_t_lb = t_lb;
            }
        }
        ck_assert_double_eq_tol(value(theory_one_point_minimum, &app), best, 0.01);
        ck_assert_double_eq_tol(value(theory_best_instant, &app), best_t_lb, 0.02);
    }
}

/* The least time of a phase on the fair machine with one balancing point, at any instant. */
static double scan_one_point(int n, int m)
{
    const int instants = 400;
    const double end = ceil_div(n, m);
    double best = fair_one_point(n, m, floor_div(n, m) + tolerance);

    for (int i = 0; i <= instants; i++)
        best = fmin(best, fair_one_point(n, m, end * i / instants));
    return best;
}

START_TEST(theorem_2_is_the_minimum_below_two_threads_a_processor)
{
    for (int m = 3; m <= 24; m++)
        for (int n = m + 1; n < 2 * m; n++) {
            const struct theory_case app = case_of(n, m, 100, 1);
            double t_lb_ns;

            if (theory_best_instant(&app, &t_lb_ns) != THEORY_HOLDS)
                continue;
            const double minimum = value(theory_one_point_minimum, &app);
            ck_assert_double_eq_tol(fair_one_point(n, m, in_e(t_lb_ns)), minimum, 1e-6);
            ck_assert_double_ge(scan_one_point(n, m), minimum - 1e-6);
        }
}

/* Work is conserved, so if Theorem 2 gives n/m, no time can be less, for any f. */
START_TEST(theorem_2_is_the_minimum_where_slow_and_fast_slots_are_equal)
{
    for (int f = 1; f <= 4; f++) {
        const int m = 2 * f + 1; /* f processors run f + 1 threads, f + 1 run f */
        const int n = m * f + f;
        const struct theory_case app = case_of(n, m, 100, 1);

        ck_assert_int_eq(theory_slots(n, m).n_fast, theory_slots(n, m).n_slow);
        ck_assert_double_eq_tol(value(theory_one_point_minimum, &app),
                                value(theory_continuous, &app), tolerance);
        ck_assert_double_eq_tol(fair_one_point(n, m, value(theory_best_instant, &app)),
                                value(theory_continuous, &app), 1e-6);
    }
}

/* What the comments in theory.c say about the paper's model: a fair machine may do better. */
START_TEST(theorem_2_is_beaten_by_9_threads_on_4_processors)
{
    const struct theory_case app = case_of(9, 4, 100, 1);

    ck_assert_double_eq_tol(value(theory_one_point_minimum, &app), 2.4, tolerance);
    ck_assert_double_eq_tol(fair_one_point(9, 4, 1.5), 2.25, 1e-6);
    ck_assert_double_eq_tol(fair_one_point(9, 4, 2 + tolerance), 7.0 / 3, 1e-6);
    ck_assert_double_eq_tol(fair_one_point(3, 2, 0.5), 1.75, 1e-6); /* although (18) says 2 */
}

START_TEST(mean_27_is_the_mean_of_the_papers_model)
{
    static const int parts = 10000;

    for (int f = 1; f <= 6; f++) {
        const struct theory_case app = case_of(20 * f + 1, 20, 100, 1);
        double sum = 0;

        for (int i = 0; i < parts; i++) {
            const double q = (i + 0.5) / parts;
            sum += fmax(q * (f + 1) + (1 - q) * f, q * f + (1 - q) * (f + 1));
        }
        ck_assert_double_eq_tol(value(theory_one_point_mean, &app), sum / parts, 1e-6);
    }
}

START_TEST(points_are_counted_strictly_inside_the_sequence)
{
    static const struct {
        double lambda;
        int phases, points;
    } cases[] = {{3, 10, 6}, {4, 10, 4}, {2, 10, 9}, {19.99, 10, 1}, {2.5, 2, 1}};

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const struct theory_case app = case_of(8, 7, cases[i].lambda, cases[i].phases);
        int points = -1;

        ck_assert_int_eq(theory_points(&app, &points), THEORY_HOLDS);
        ck_assert_int_eq(points, cases[i].points);
    }
}

START_TEST(sequences_add_up_their_phases)
{
    const struct theory_case longs = case_of(8, 7, 3, 10); /* 6 balancing points */
    const struct theory_case shorts = case_of(8, 7, 0.5, 10);
    const struct theory_case slows = case_of(13, 7, 3, 10);

    ck_assert_double_eq_tol(value(theory_static, &longs), 20, tolerance);
    ck_assert_double_eq_tol(value(theory_long_period_bound, &longs), 4 * 2 + 6 * 4.0 / 3,
                            tolerance);
    ck_assert_double_eq_tol(value(theory_long_period, &longs), 4 * 2 + 6 * 1.75, tolerance);
    ck_assert_double_eq_tol(value(theory_long_period_static, &slows), 20, tolerance);
    ck_assert_double_eq_tol(value(theory_short_period, &shorts), 10 * 1.25, tolerance);
    ck_assert_double_eq_tol(value(theory_continuous, &shorts), 10 * 8.0 / 7, tolerance);
}

/* ---- reactive, against brute force ---- */

START_TEST(reactive_agrees_with_a_machine_that_rebalances_at_once)
{
    struct prng prng;

    prng_seed(&prng, 4);
    for (int i = 0; i < RANDOM_CASES; i++) {
        int n, m;
        random_mismatch(&prng, 100, &n, &m);
        const struct theory_case app = case_of(n, m, 1, 1);
        const double time = fair_reactive(n, m);

        ck_assert_double_eq_tol(value(theory_reactive_recurrence, &app), time, 1e-6);
        if (n < 2 * m)
            ck_assert_double_eq_tol(value(theory_reactive, &app), time, 1e-6);
    }
}

START_TEST(reactive_calls_stop_when_all_threads_are_fast)
{
    for (int m = 2; m <= 200; m++)
        for (int n = m + 1; n < 2 * m; n++) {
            const struct theory_case app = case_of(n, m, 1, 1);
            double last, before;
            int calls;

            ck_assert_int_eq(theory_reactive_calls(&app, &calls), THEORY_HOLDS);
            ck_assert_int_eq(theory_reactive_fast(&app, calls, &last), THEORY_HOLDS);
            ck_assert_int_eq(theory_reactive_fast(&app, calls - 1, &before), THEORY_HOLDS);
            ck_assert_double_ge(last, m);
            ck_assert_double_lt(before, m);
        }
}

/* ---- migrations ---- */

/* Swaps threads that are behind on slow slots with threads that are ahead on fast ones; returns
 * the number of swaps. */
static int swap_and_run(int *progress, bool *slow, int n, const struct theory_slots *slots)
{
    int behind = progress[0];
    int swaps = 0;

    for (int i = 1; i < n; i++)
        behind = progress[i] < behind ? progress[i] : behind;
    for (int i = 0, j = 0; i < n; i++) {
        if (!slow[i] || progress[i] != behind)
            continue;
        while (j < n && (slow[j] || progress[j] == behind))
            j++;
        if (j == n)
            break;
        slow[i] = false;
        slow[j] = true;
        swaps++;
    }
    for (int i = 0; i < n; i++)
        progress[i] += slow[i] ? slots->floor : slots->ceil;
    return swaps;
}

START_TEST(migrations_agree_with_swapping)
{
    struct prng prng;

    prng_seed(&prng, 5);
    for (int i = 0; i < RANDOM_CASES; i++) {
        int progress[N_MAX] = {0};
        bool slow[N_MAX] = {false};
        int swaps = 0;
        int n, m;
        random_mismatch(&prng, N_MAX, &n, &m);
        const struct theory_slots slots = theory_slots(n, m);

        memset(slow, true, (size_t)slots.n_slow);
        for (int k = 0; k < n; k++) { /* the pattern repeats after a divisor of n periods */
            const int now = swap_and_run(progress, slow, n, &slots);
            ck_assert_int_le(2 * now, theory_migrations_bound(n, m));
            swaps += now;
        }
        ck_assert_double_eq_tol(2.0 * swaps / n, theory_migrations_mean(n, m), tolerance);
    }
}

/* ---- conditions ---- */

START_TEST(conditions_are_checked_and_leave_the_output_alone)
{
    static const struct {
        enum theory_condition (*function)(const struct theory_case *, double *);
        int n, m;
        double lambda;
        int phases;
        enum theory_condition condition;
    } cases[] = {
        {theory_static, 0, 4, 1, 1, THEORY_NEEDS_A_CASE},
        {theory_static, 4, 0, 1, 1, THEORY_NEEDS_A_CASE},
        {theory_static, 4, 4, 0, 1, THEORY_NEEDS_A_CASE},
        {theory_static, 4, 4, 1, 0, THEORY_NEEDS_A_CASE},
        {theory_lag, 8, 4, 1, 1, THEORY_NEEDS_IMBALANCE},
        {theory_continuous, 3, 4, 1, 1, THEORY_NEEDS_IMBALANCE},
        {theory_single_bound, 8, 7, 2, 1, THEORY_NEEDS_SHORT_PERIOD},
        {theory_short_period, 8, 7, 2, 9, THEORY_NEEDS_SHORT_PERIOD},
        {theory_best_instant, 13, 7, 1, 1, THEORY_NEEDS_FAST_SLOTS},
        {theory_one_point_minimum, 13, 7, 1, 1, THEORY_NEEDS_FAST_SLOTS},
        {theory_one_point_mean, 13, 7, 1, 1, THEORY_NEEDS_FAST_SLOTS},
        {theory_long_period, 8, 7, 1.99, 9, THEORY_NEEDS_LONG_PERIOD},
        {theory_long_period, 8, 7, 18, 9, THEORY_NEEDS_A_POINT},
        {theory_long_period_bound, 8, 7, 3, 1, THEORY_NEEDS_A_POINT},
        {theory_long_period_bound, 13, 7, 3, 9, THEORY_NEEDS_FAST_SLOTS},
        {theory_long_period_static, 8, 7, 3, 9, THEORY_NEEDS_SLOW_SLOTS},
        {theory_reactive, 17, 8, 1, 1, THEORY_NEEDS_BELOW_TWO},
        {theory_reactive, 16, 8, 1, 1, THEORY_NEEDS_IMBALANCE},
        {theory_reactive_recurrence, 0, 8, 1, 1, THEORY_NEEDS_A_CASE},
    };

    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        const struct theory_case app = case_of(cases[i].n, cases[i].m, cases[i].lambda,
                                               cases[i].phases);
        double time_ns = -1;

        ck_assert_int_eq(cases[i].function(&app, &time_ns), cases[i].condition);
        ck_assert_double_eq(time_ns, -1);
    }
}

START_TEST(the_point_must_precede_the_first_completion)
{
    const struct theory_case app = case_of(8, 7, 3, 1);
    double slow_ns = -1, fast_ns = -1;

    ck_assert_int_eq(theory_one_point(&app, 1.001e9, &slow_ns, &fast_ns), THEORY_NEEDS_RUNNING);
    ck_assert_int_eq(theory_one_point(&app, -1, &slow_ns, &fast_ns), THEORY_NEEDS_RUNNING);
    ck_assert_double_eq(slow_ns + fast_ns, -2);
}

/* lambda is e c - 1 ns and e c, with l e c beyond 64 bits. */
START_TEST(conditions_are_exact_for_huge_durations)
{
    struct theory_case app = {
        .n = 3, .m = 2, .e_ns = INT64_MAX / 2, .phases = 1000000000, .domains = 1};
    double time_ns;

    app.lambda_ns = 2 * app.e_ns - 1;
    ck_assert_int_eq(theory_single_bound(&app, &time_ns), THEORY_HOLDS);
    app.lambda_ns = 2 * app.e_ns;
    ck_assert_int_eq(theory_single_bound(&app, &time_ns), THEORY_NEEDS_SHORT_PERIOD);
}

SUITE("theory")
