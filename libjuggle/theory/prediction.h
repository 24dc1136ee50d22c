/* SPDX-License-Identifier: BSD-3-Clause */
/* A prediction puts together what the theory says of a whole run, for any case. */
#ifndef JUGGLE_THEORY_PREDICTION_H
#define JUGGLE_THEORY_PREDICTION_H

#include "libjuggle/theory/theory.h"
#include "libjuggle/theory/unequal.h"

struct prediction_time {
    double time_ns;
    double speedup;       /* relative to static */
    const char *equation; /* "(14)": where the time comes from */
};

struct prediction {
    struct prediction_time fixed;     /* static: spread evenly, never moved */
    struct prediction_time placed;    /* placed by speed, never moved; static if all are equal */
    struct prediction_time reactive;  /* ideal: at once, over all domains */
    struct prediction_time proactive; /* Juggle; the slowest domain decides */
    double upper_bound_speedup;       /* of proactive over static, whatever the period: by (14) */
    double migrations; /* mean per balancing point, all domains together; NAN if speeds differ */
};

/* Predicts what balancing brings in the whole run, for any case: also for n <= m, for n mod m == 0
 * (nothing to gain) and for periods that are longer than the run. Fails only with
 * THEORY_NEEDS_A_CASE. */
enum theory_condition prediction_make(const struct theory_case *app,
                                      struct prediction *prediction) MUST_CHECK;

/* The same on processors of different speed, for one domain. */
enum theory_condition prediction_make_unequal(const struct theory_case *app,
                                              const struct unequal_machine *machine,
                                              struct prediction *prediction) MUST_CHECK;

/* Section 2.4: the part of the case that domain `index` (0 .. domains-1) has to run. Threads and
 * processors are spread cyclically over the domains, so that neither differ by more than one; the
 * first domains have the most of both. A domain may have no thread. */
struct theory_case prediction_domain(const struct theory_case *app, int index);

#endif
