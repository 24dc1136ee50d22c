/* SPDX-License-Identifier: BSD-3-Clause */
/* Only this file is compiled with fast math, because its sums may be computed in any order. The
 * compiler makes a version for each generation of processors, and the loader picks one. */
#include "tools/scf/integrals.h"

#include <math.h>

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(__clang__)
#define BY_GENERATION __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BY_GENERATION
#endif

/* With P and Q the exponents of the pairs and R the distance of their centers, an integral is
 * weight * weight * F0(t) / sqrt(P + Q), t = P Q R^2 / (P + Q). If they are far apart, F0(t) is
 * sqrt(pi / t) / 2, so that both cases need one root and one division. */
BY_GENERATION
double integrals_row(const struct boys *boys, const struct bra *bra, const struct tile_pair *ket,
                     int count, const double *density, double *restrict coulomb,
                     double *restrict value)
{
    const double half_root_pi = 0.88622692545275801365;
    /* Gather instructions need an index from a fixed base. */
    const double *term0 = boys->term[0], *term1 = term0 + 1, *term2 = term0 + 2, *term3 = term0 + 3;
    const double *exponent = ket->exponent, *x = ket->x, *y = ket->y, *z = ket->z;
    const double *weight = ket->weight;
    const double bra_exponent = bra->exponent, bra_x = bra->x, bra_y = bra->y, bra_z = bra->z;
    const double bra_weight = bra->weight, bra_density = bra->density;
    double sum = 0;

    for (int b = 0; b < count; b++) {
        const double dx = bra_x - x[b], dy = bra_y - y[b], dz = bra_z - z[b];
        const double total = bra_exponent + exponent[b];
        const double product = bra_exponent * exponent[b] * (dx * dx + dy * dy + dz * dz);
        const double far = product < BOYS_END * total ? 0 : 1; /* a factor instead of a branch */
        const double root = 1 / sqrt(total + far * (product - total));
        const double t = (1 - far) * product * root * root;
        const int row = (int)(t * BOYS_STEPS + 0.5);
        const double d = row * (1.0 / BOYS_STEPS) - t;
        const int at = BOYS_TERMS * row;
        const double f0 = term0[at] + d * (term1[at] + d * (term2[at] + d * term3[at]));
        const double integral = bra_weight * weight[b] * root * (f0 + far * (half_root_pi - f0));

        value[b] = integral;
        coulomb[b] += integral * bra_density;
        sum += integral * density[b];
    }
    return sum;
}
