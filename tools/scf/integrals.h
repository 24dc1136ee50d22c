/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals over two electrons in four s-type Gaussians: one pair with many others, by vector
 * code. */
#ifndef JUGGLE_SCF_INTEGRALS_H
#define JUGGLE_SCF_INTEGRALS_H

#include "tools/scf/pairs.h"

/* The pair that is combined with many others. */
struct bra {
    double exponent;
    double x, y, z;
    double weight;  /* of the pair, times the number of orders for which its integrals count */
    double density; /* of the pair */
};

/* Stores (bra|ket b), weights included, in value[b] for the first `count` pairs of `ket`. Adds the
 * product of each with the density of the bra to coulomb[b], and returns the sum of their products
 * with density[b]: the Coulomb part of the Fock matrix. */
double integrals_row(const struct boys *boys, const struct bra *bra, const struct tile_pair *ket,
                     int count, const double *density, double *coulomb, double *value);

#endif
