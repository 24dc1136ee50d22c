/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/scf/boys.h"

#include <math.h>
#include <stdlib.h>

static const double HALF_ROOT_PI = 0.88622692545275801365;

/* Returns F_m(t) as the sum of a series that converges for every t; its terms fall once 2 m + 2 i +
 * 1 exceeds 2 t. */
static double boys_series(int m, double t)
{
    double term = 1.0 / (2 * m + 1);
    double sum = term;

    for (int i = 1; term > sum * 1e-17; i++) {
        term *= 2 * t / (2 * m + 2 * i + 1);
        sum += term;
    }
    return exp(-t) * sum;
}

/* Fills a row by downward recursion, which is stable: (2m + 1) F_m = 2t F_(m+1) + exp(-t). */
static void boys_row(double t, double row[BOYS_TERMS])
{
    double value = boys_series(BOYS_TERMS - 1, t);
    double factorial = 1;

    row[BOYS_TERMS - 1] = value;
    for (int m = BOYS_TERMS - 2; m >= 0; m--) {
        value = (2 * t * value + exp(-t)) / (2 * m + 1);
        row[m] = value;
    }
    for (int m = 2; m < BOYS_TERMS; m++) {
        factorial *= m;
        row[m] /= factorial;
    }
}

struct boys *boys_create(void)
{
    struct boys *boys = aligned_alloc(64, (sizeof(*boys) + 63) / 64 * 64);

    for (size_t row = 0; boys && row < ARRAY_COUNT(boys->term); row++)
        boys_row((double)row / BOYS_STEPS, boys->term[row]);
    return boys;
}

void boys_destroy(struct boys *boys)
{
    free(boys);
}

double boys_f0(const struct boys *boys, double t)
{
    if (t >= BOYS_END)
        return HALF_ROOT_PI / sqrt(t);
    const int row = (int)(t * BOYS_STEPS + 0.5);
    const double *term = boys->term[row];
    const double d = (double)row / BOYS_STEPS - t;

    return term[0] + d * (term[1] + d * (term[2] + d * term[3]));
}
