/* SPDX-License-Identifier: BSD-3-Clause */
/* Unequal says how long n equal threads take on processors of different speed, which section 7 of
 * the paper leaves open: each result stands beside the paper's of the same number, with a prime.
 *
 * A phase takes e on a processor of speed 1. A core of speed s is one processor, or two that share
 * it: each of them has speed s while the other one is idle and s x smt while both are busy.
 *
 * n running threads have n slots. Up to the number of processors P a slot is a processor, taken in
 * the order of what it adds: s for the first one of a core, s (2 smt - 1) for the second. R(n), the
 * sum of these, is the most work that n threads get done in a unit of time, wherever they run.
 * Beyond P all processors are busy and their threads share them evenly.
 *
 *   (1')   Static: threads are dealt out evenly, each core one before any has two, faster ones
 *          first, and stay; the slowest processor decides.
 *   (14')  e n / R(n). There is e n work to do, and R grows with n, so that nothing is faster
 *          at any time before the end. Passing the slots round gives each thread the rate
 *          R(n) / n, so that continuous balancing attains it. With n >= m equal processors this
 *          is (14).
 *   (2')   e / r + lambda (r - q) / s, for slots of rates from r down to q, the fastest processor's
 *          speed s and lambda <= e / r. An imaginary thread of rate r is done at e / r. At the last
 *          balancing point before that some thread comes from the slowest slot and is
 *          lambda (r - q) behind; no thread runs faster than r before e / r, nor faster than s
 *          afterwards. With equal processors r = 1/f, q = 1/c, s = 1: (2).
 *
 * The paper's idealizations hold here too. With smt below 1/2 a second thread would make its core
 * slower than one alone: R(n) then leaves it out, the slots of (2') do not. */
#ifndef JUGGLE_THEORY_UNEQUAL_H
#define JUGGLE_THEORY_UNEQUAL_H

#include "libjuggle/ground/machine.h"
#include "libjuggle/theory/theory.h"

enum {
    UNEQUAL_WIDTH_MAX = 2,      /* processors of a core */
    UNEQUAL_THREADS_MAX = 4096, /* for results that look at each thread */
};

struct unequal_core {
    double speed;
    int width;
};

struct unequal_machine {
    double smt; /* 0 < smt <= 1 */
    int processors_count;
    int cores_count;
    struct unequal_core cores[MACHINE_PROCESSORS_MAX]; /* fastest first */
};

/* A machine without cores yet. */
void unequal_machine_begin(double smt, struct unequal_machine *machine);

/* -EINVAL unless the speed is finite and above zero, the width possible and there is room. */
int unequal_machine_add(struct unequal_machine *machine, double speed, int width) MUST_CHECK;

/* R(n), for any n >= 0. */
double unequal_rate(const struct unequal_machine *machine, int n);

/* The slots of 1 <= n <= UNEQUAL_THREADS_MAX threads, fastest first. */
void unequal_slots(const struct unequal_machine *machine, int n, double *rates);

/* The results, each for l phases. The case's m must be the machine's processors and its domains 1:
 * otherwise the result is THEORY_NEEDS_A_CASE. */
enum theory_condition unequal_static(const struct theory_case *app,
                                     const struct unequal_machine *machine,
                                     double *time_ns) MUST_CHECK;
enum theory_condition unequal_continuous(const struct theory_case *app,
                                         const struct unequal_machine *machine,
                                         double *time_ns) MUST_CHECK;
enum theory_condition unequal_short_period(const struct theory_case *app,
                                           const struct unequal_machine *machine,
                                           double *time_ns) MUST_CHECK;

/* The best time of threads that are placed by speed and never moved: fast processors have more of
 * them. */
enum theory_condition unequal_placed(const struct theory_case *app,
                                     const struct unequal_machine *machine,
                                     double *time_ns) MUST_CHECK;

/* Threads are dealt out anew whenever one blocks, those with the most work left to the fastest
 * slots. */
enum theory_condition unequal_reactive(const struct theory_case *app,
                                       const struct unequal_machine *machine,
                                       double *time_ns) MUST_CHECK;

#endif
