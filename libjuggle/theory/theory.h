/* SPDX-License-Identifier: BSD-3-Clause */
/* Theory says how long n equal threads take on m equal processors under static, reactive and
 * proactive balancing: every numbered result of sections 3 and 4 of the paper. unequal.h has
 * processors of different speed, prediction.h puts the results together.
 *
 * Symbols are the paper's. f = floor(n/m), c = ceil(n/m). The n mod m slow processors run c threads
 * each, so n_slow = (n mod m) c threads progress at rate 1/c; the other processors run f threads
 * each, so n_fast = n - n_slow threads progress at rate 1/f. (The text of section 3 exchanges floor
 * and ceiling here; Fig. 4, lines 10-13, has them right.)
 *
 * Each function gives one result and checks the conditions under which the paper derives it: it
 * returns THEORY_HOLDS, or the condition that fails, and then leaves its output alone. What the
 * theory yields are real numbers of nanoseconds, hence double. */
#ifndef JUGGLE_THEORY_THEORY_H
#define JUGGLE_THEORY_THEORY_H

#include "libjuggle/theory/case.h"

/* ---- static, (1) and (16) ---- */

/* l e c. */
enum theory_condition theory_static(const struct theory_case *app, double *time_ns) MUST_CHECK;

/* ---- one phase, (2), (3) and (14) ---- */

/* (3): how far one thread may be behind another at a balancing point (Lemma 1: this or nothing). */
enum theory_condition theory_lag(const struct theory_case *app, double *lag_ns) MUST_CHECK;

/* (2): no balancer of period lambda < e c can complete a phase that starts at a balancing point
 * sooner. */
enum theory_condition theory_single_bound(const struct theory_case *app,
                                          double *time_ns) MUST_CHECK;

/* (14), (15): l e n/m, the time under continuous balancing; no balancer can be faster. */
enum theory_condition theory_continuous(const struct theory_case *app, double *time_ns) MUST_CHECK;

/* (25): l times (2). An approximation: later phases start between balancing points. */
enum theory_condition theory_short_period(const struct theory_case *app,
                                          double *time_ns) MUST_CHECK;

/* ---- one balancing point in a phase, (17) to (24), (27) ---- */

/* (20) and (22): when the threads end that a balancing point at t_lb makes slow, and those that it
 * makes fast. */
enum theory_condition theory_one_point(const struct theory_case *app, double t_lb_ns,
                                       double *turned_slow_ns, double *turned_fast_ns) MUST_CHECK;

/* (23): the balancing instant that makes (20) and (22) equal. */
enum theory_condition theory_best_instant(const struct theory_case *app,
                                          double *t_lb_ns) MUST_CHECK;

/* (24), Theorem 2: the phase's time with a point at that instant. */
enum theory_condition theory_one_point_minimum(const struct theory_case *app,
                                               double *time_ns) MUST_CHECK;

/* (27): the phase's expected time if the point may fall anywhere in it. */
enum theory_condition theory_one_point_mean(const struct theory_case *app,
                                            double *time_ns) MUST_CHECK;

/* eta: the maximum number of phases of a sequence that contain a balancing point. */
enum theory_condition theory_points(const struct theory_case *app, int *count) MUST_CHECK;

/* (17): the sequence, if each point falls at the best instant; a lower bound for f = 1 only. */
enum theory_condition theory_long_period_bound(const struct theory_case *app,
                                               double *time_ns) MUST_CHECK;

/* (18): the sequence, when one point cannot make every slow thread fast; an upper bound. */
enum theory_condition theory_long_period_static(const struct theory_case *app,
                                                double *time_ns) MUST_CHECK;

/* (26): the sequence, if the points fall anywhere. */
enum theory_condition theory_long_period(const struct theory_case *app, double *time_ns) MUST_CHECK;

/* ---- reactive, section 4 ---- */

/* (29): threads that run fast after the i-th call of the balancer, i >= 0. */
enum theory_condition theory_reactive_fast(const struct theory_case *app, int i,
                                           double *count) MUST_CHECK;

/* k of (28): how often the balancer is called in a phase before every thread runs fast. */
enum theory_condition theory_reactive_calls(const struct theory_case *app, int *count) MUST_CHECK;

/* (30), in each of l phases. */
enum theory_condition theory_reactive(const struct theory_case *app, double *time_ns) MUST_CHECK;

/* Ours, not the paper's: the same ideal balancer for any n and m, by its recurrence over the
 * instants at which threads block. Equals (30) where that holds. */
enum theory_condition theory_reactive_recurrence(const struct theory_case *app,
                                                 double *time_ns) MUST_CHECK;

/* ---- migrations, section 5.5 ---- */

/* Upper bound of the migrations (two a swap) at one balancing point: 2 min(n_slow, n_fast). */
int theory_migrations_bound(int n, int m);

/* Ours: their mean over many periods when all threads run, 2 n_slow n_fast / n. */
double theory_migrations_mean(int n, int m);

#endif
