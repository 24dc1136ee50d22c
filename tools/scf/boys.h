/* SPDX-License-Identifier: BSD-3-Clause */
/* The Boys function F0(t) = integral from 0 to 1 of exp(-t u^2) du, as a table of short Taylor
 * series. Beyond the end of the table, the integral from 0 to infinity replaces it. */
#ifndef JUGGLE_SCF_BOYS_H
#define JUGGLE_SCF_BOYS_H

#include "libjuggle/ground/units.h"

/* At t = 32 the integral beyond u = 1, about exp(-32) / 64 = 2e-16, is negligible beside
 * F0(32) = 0.157. */
enum { BOYS_END = 32, BOYS_STEPS = 256, BOYS_TERMS = 4 };

struct boys {
    /* F_m(t) / m! at t = row / BOYS_STEPS, so that F0(t - d) = sum of term[m] d^m. The first
     * term that is left out is below 1e-13. */
    double term[BOYS_END * BOYS_STEPS + 1][BOYS_TERMS];
};

/* Returns NULL if there is no memory. */
struct boys *boys_create(void) MUST_CHECK;
void boys_destroy(struct boys *boys);

/* Returns one value, for callers that need no vector code. */
double boys_f0(const struct boys *boys, double t);

#endif
