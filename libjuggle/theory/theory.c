/* SPDX-License-Identifier: BSD-3-Clause */
/* If the paper's text contradicts its own derivation, the comment beside the function says what is
 * printed and what follows. */
#include "libjuggle/theory/theory.h"

#include "libjuggle/theory/condition.h"

/* ---- static ---- */

static double static_ns(const struct theory_case *app)
{
    return (double)app->phases * (double)app->e_ns * ceil_div(app->n, app->m);
}

enum theory_condition theory_static(const struct theory_case *app, double *time_ns)
{
    const enum theory_condition condition = condition_check_case(app);

    if (!condition)
        *time_ns = static_ns(app);
    return condition;
}

/* ---- one phase ---- */

static double lag_ns(const struct theory_case *app)
{
    const struct theory_slots slots = theory_slots(app->n, app->m);

    return (double)app->lambda_ns / ((double)slots.ceil * slots.floor);
}

enum theory_condition theory_lag(const struct theory_case *app, double *out_ns)
{
    const enum theory_condition condition = condition_check_imbalance(app);

    if (!condition)
        *out_ns = lag_ns(app);
    return condition;
}

/* e f + lambda / (c f). The imaginary thread of the proof is one that is always fast: rate 1/f and
 * time e f. (Theorem 1 and the text before (14) print the rate as 1/c; with that, Theorem 1 would
 * be false after the first period.) For lambda <= e f the bound follows from Theorem 1, as the
 * paper says: some thread lags at the last balancing point before e f, never gains on the imaginary
 * one, and runs at rate 1 at best when that is done. For e f < lambda < e c no point precedes e f;
 * a slow thread then needs lambda + (e - lambda / c) at least, which is no less:
 * e + lambda f / c - e f - lambda / (c f) = (f - 1) (lambda / f - e) >= 0. */
enum theory_condition theory_single_bound(const struct theory_case *app, double *time_ns)
{
    const enum theory_condition condition = condition_check_short_period(app);

    if (!condition)
        *time_ns = (double)app->e_ns * floor_div(app->n, app->m) + lag_ns(app);
    return condition;
}

static double continuous_ns(const struct theory_case *app)
{
    return (double)app->phases * (double)app->e_ns * app->n / app->m;
}

enum theory_condition theory_continuous(const struct theory_case *app, double *time_ns)
{
    const enum theory_condition condition = condition_check_imbalance(app);

    if (!condition)
        *time_ns = continuous_ns(app);
    return condition;
}

enum theory_condition theory_short_period(const struct theory_case *app, double *time_ns)
{
    double single_ns;
    const enum theory_condition condition = theory_single_bound(app, &single_ns);

    if (!condition)
        *time_ns = app->phases * single_ns;
    return condition;
}

/* ---- one point ---- */

/* From e = t_lb / f + (t - t_lb) / c follows t = c e - t_lb (c - f) / f, which is (20) as c = f +
 * 1; from e = t_lb / c + (t - t_lb) / f follows t = f e + t_lb (c - f) / c, which is (22). ((21)
 * prints this with the sign of its bracket turned.) */
enum theory_condition theory_one_point(const struct theory_case *app, double t_lb_ns,
                                       double *turned_slow_ns, double *turned_fast_ns)
{
    const enum theory_condition condition = condition_check_fast_slots(app);

    if (condition)
        return condition;
    const struct theory_slots slots = theory_slots(app->n, app->m);
    const double e_ns = (double)app->e_ns;
    if (!(t_lb_ns >= 0 && t_lb_ns <= slots.floor * e_ns))
        return THEORY_NEEDS_RUNNING;
    *turned_slow_ns = slots.ceil * e_ns - t_lb_ns / slots.floor;
    *turned_fast_ns = slots.floor * e_ns + t_lb_ns / slots.ceil;
    return THEORY_HOLDS;
}

enum theory_condition theory_best_instant(const struct theory_case *app, double *t_lb_ns)
{
    const enum theory_condition condition = condition_check_fast_slots(app);

    if (condition)
        return condition;
    const double f = floor_div(app->n, app->m);
    const double c = ceil_div(app->n, app->m);
    *t_lb_ns = f * c / (f + c) * (double)app->e_ns;
    return THEORY_HOLDS;
}

/* The minimum over 0 <= t_lb <= e f in the paper's model, in which a slot keeps its rate until its
 * thread is done. Equal to (14) when n_fast = n_slow. Two things make it no lower bound for f >= 2,
 * although Theorem 2 and (17) say so: a fast processor whose always-fast thread is done serves its
 * other threads faster, and a point just after e f finds empty processors (9 threads on 4
 * processors can end at 2.25 e, not 2.4 e). For f = 1 a fast processor has one thread and a point
 * after e f ends the phase at e + t_lb / 2 at the earliest, so there the theorem stands. */
enum theory_condition theory_one_point_minimum(const struct theory_case *app, double *time_ns)
{
    const enum theory_condition condition = condition_check_fast_slots(app);

    if (condition)
        return condition;
    const double f = floor_div(app->n, app->m);
    const double c = ceil_div(app->n, app->m);
    *time_ns = f * (1 + 1 / (f + c)) * (double)app->e_ns;
    return THEORY_HOLDS;
}

/* The mean of max(q c + (1 - q) f, q f + (1 - q) c) over 0 <= q <= 1: c - q in the first half,
 * which is symmetric to the second. (The first form of the sum prints f + q, the smaller of the
 * two; its reduced form has c - q.) The q of both kinds of thread is a share of their own work,
 * though one instant cuts off different shares: in the model of (20) and (22) the mean over an
 * evenly spread t_lb is less, 5/3 e instead of 7/4 e for f = 1. It stays an approximation, as the
 * paper calls it. */
enum theory_condition theory_one_point_mean(const struct theory_case *app, double *time_ns)
{
    static const double mean_of_q = 0.25; /* over 0 .. 1/2 */
    const enum theory_condition condition = condition_check_fast_slots(app);

    if (!condition)
        *time_ns = (double)app->e_ns * (ceil_div(app->n, app->m) - mean_of_q);
    return condition;
}

/* The k >= 1 with k lambda < l e c. That is floor(l e c / lambda) but for the case which the paper
 * sets aside, lambda dividing l e c: the last point then coincides with the end. */
static int points_count(const struct theory_case *app)
{
    const double points = static_ns(app) / (double)app->lambda_ns;
    const int whole = (int)points;

    return whole == points ? whole - 1 : whole;
}

enum theory_condition theory_points(const struct theory_case *app, int *count)
{
    const enum theory_condition condition = condition_check_long_period(app);

    if (!condition)
        *count = points_count(app);
    return condition;
}

/* (l - eta) e c + eta t. */
static double with_points_ns(const struct theory_case *app, double one_point_ns)
{
    const int points = points_count(app);
    const double phase_ns = (double)app->e_ns * ceil_div(app->n, app->m);

    return (app->phases - points) * phase_ns + points * one_point_ns;
}

enum theory_condition theory_long_period_bound(const struct theory_case *app, double *time_ns)
{
    double one_point_ns;
    enum theory_condition condition = condition_check_long_period(app);

    if (!condition)
        condition = theory_one_point_minimum(app, &one_point_ns);
    if (!condition)
        *time_ns = with_points_ns(app, one_point_ns);
    return condition;
}

/* A thread that stays slow takes e c in the paper's model. On a fair machine it ends sooner when
 * the threads beside it, fast before the point, are done before it (3 threads on 2 processors with
 * a point at e/2: 1.75 e): (18) is an upper bound there. */
enum theory_condition theory_long_period_static(const struct theory_case *app, double *time_ns)
{
    const enum theory_condition condition = condition_check_long_period(app);

    if (condition)
        return condition;
    if (condition_check_fast_slots(app) == THEORY_HOLDS)
        return THEORY_NEEDS_SLOW_SLOTS;
    *time_ns = static_ns(app);
    return THEORY_HOLDS;
}

enum theory_condition theory_long_period(const struct theory_case *app, double *time_ns)
{
    double one_point_ns;
    enum theory_condition condition = condition_check_long_period(app);

    if (!condition)
        condition = theory_one_point_mean(app, &one_point_ns);
    if (!condition)
        *time_ns = with_points_ns(app, one_point_ns);
    return condition;
}

/* ---- reactive ---- */

static enum theory_condition check_below_two(const struct theory_case *app)
{
    const enum theory_condition condition = condition_check_imbalance(app);

    if (condition)
        return condition;
    return floor_div(app->n, app->m) == 1 ? THEORY_HOLDS : THEORY_NEEDS_BELOW_TWO;
}

/* n_f(0) = f (m - n mod m) = 2m - n. (Printed with n mod m, the slow processors, for the fast ones;
 * the lines that follow have it right.) Threads that are done leave n_1 = n - n_f(0) = 2n - 2m, so
 * the next count is 2m - n_1 = 2 n_f(0), and so on. */
enum theory_condition theory_reactive_fast(const struct theory_case *app, int i, double *count)
{
    const enum theory_condition condition = check_below_two(app);

    if (condition)
        return condition;
    double fast = theory_slots(app->n, app->m).n_fast;
    for (int call = 0; call < i; call++)
        fast *= 2;
    *count = fast;
    return THEORY_HOLDS;
}

/* The least k with (2m - n) 2^k >= m: then no more than m threads remain. (The sentence before it
 * prints n_f(k) <= m.) Counted here instead of by -floor(log2(2 - n/m)), which rounding may
 * break. */
enum theory_condition theory_reactive_calls(const struct theory_case *app, int *count)
{
    const enum theory_condition condition = check_below_two(app);

    if (condition)
        return condition;
    int calls = 0;
    for (int64_t fast = theory_slots(app->n, app->m).n_fast; fast < app->m; fast *= 2)
        calls++;
    *count = calls;
    return THEORY_HOLDS;
}

/* The sum (28) of the spells between calls, e / 2^i for i = 0 .. k, is (2 - 2^-k) e, and with the k
 * above (30); its exponent is -k. For 16 threads on 12 processors that is 1.5 e, a speedup of 4/3.
 * (Section 5.3 expects 1.5 there, the speedup of proactive balancing, but its own measurement in
 * Table 7, EP.C with k = 0, is 1.35.) */
enum theory_condition theory_reactive(const struct theory_case *app, double *time_ns)
{
    int calls;
    const enum theory_condition condition = theory_reactive_calls(app, &calls);

    if (condition)
        return condition;
    double last_spell = 1;
    for (int call = 0; call < calls; call++)
        last_spell /= 2;
    *time_ns = (2 - last_spell) * (double)app->phases * (double)app->e_ns;
    return THEORY_HOLDS;
}

/* When the fast threads, each with `left` to do, are done after left f, the slow ones have
 * left - left f / c = left / c to do; they are n mod m times c, all alike, and are spread anew. */
static double reactive_recurrence_ns(const struct theory_case *app)
{
    double left = 1;
    double spent = 0;
    int running = app->n;

    while (running > app->m) {
        const struct theory_slots slots = theory_slots(running, app->m);

        spent += left * slots.floor;
        left = slots.n_slow ? left / slots.ceil : 0;
        running = slots.n_slow;
    }
    return (spent + left) * (double)app->phases * (double)app->e_ns;
}

enum theory_condition theory_reactive_recurrence(const struct theory_case *app, double *time_ns)
{
    const enum theory_condition condition = condition_check_case(app);

    if (!condition)
        *time_ns = reactive_recurrence_ns(app);
    return condition;
}

/* ---- migrations ---- */

int theory_migrations_bound(int n, int m)
{
    const struct theory_slots slots = theory_slots(n, m);

    return 2 * (slots.n_slow < slots.n_fast ? slots.n_slow : slots.n_fast);
}

/* By Lemma 1's cases the number of behind threads at the k-th point is b = k n_slow mod n, and the
 * number of swaps that bring behind threads from slow slots to fast ones is
 * min(b, n - b, n_slow, n_fast). Summed over the multiples b of gcd(n, n_slow) below n, the mean is
 * n_slow n_fast / n: 3 migrations a period for 8 threads on 7 processors, as section 5.5
 * observes. */
double theory_migrations_mean(int n, int m)
{
    const struct theory_slots slots = theory_slots(n, m);

    return 2.0 * slots.n_slow * slots.n_fast / n;
}
