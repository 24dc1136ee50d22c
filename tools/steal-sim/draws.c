/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/draws.h"

/* Needs comparisons only (von Neumann): draws falling runs of uniform numbers. The first number of
 * the first run with an odd length is the fraction, and the number of runs before it is the integer
 * part. */
double draw_exponential(struct prng *prng)
{
    for (int whole = 0;; whole++) {
        const double first = prng_unit(prng);
        double last = first, next;
        int length = 0;

        while ((next = prng_unit(prng)) < last) {
            last = next;
            length++;
        }
        if (length % 2 == 0)
            return whole + first;
    }
}

double draw_normal(struct prng *prng)
{
    enum { SUMMANDS = 12, MEAN = SUMMANDS / 2 };
    double sum = -MEAN;

    for (int i = 0; i < SUMMANDS; i++)
        sum += prng_unit(prng);
    return sum;
}

/* Squares the Taylor series of e^(x/64) six times. */
double exponential(double x)
{
    enum { TERMS = 18, HALVINGS = 6 };
    double y = x / (1 << HALVINGS);
    double term = 1, sum = 1;

    for (int i = 1; i < TERMS; i++) {
        term *= y / i;
        sum += term;
    }
    for (int i = 0; i < HALVINGS; i++)
        sum *= sum;
    return sum;
}

double chance_of(uint64_t seed, uint64_t a, uint64_t b)
{
    /* The multipliers are odd and without pattern, so that neighbors have unrelated states. */
    const uint64_t mixed = seed * UINT64_C(0x9e3779b97f4a7c15) ^ a * UINT64_C(0xc2b2ae3d27d4eb4f) ^
                           b * UINT64_C(0x165667b19e3779f9);
    struct prng prng;

    prng_seed(&prng, mixed);
    return prng_unit(&prng);
}
