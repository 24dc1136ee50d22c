/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals over two electrons in four s-type Gaussians: one pair against many, by vectors. */
#ifndef JUGGLE_SCF_INTEGRALS_H
#define JUGGLE_SCF_INTEGRALS_H

#include "tools/scf/pairs.h"

/* The pair that stands before the others, of which each vector takes a copy. */
struct bra {
    double exponent;
    double x, y, z;
    double weight;  /* of the pair, and how often its integrals count */
    double density; /* of the pair */
};

/* value[b] = (bra|ket b) for the first `count` pairs of `ket`, weights included. Adds each times
 * the density of the bra to coulomb[b], and returns the sum of each times density[b]: Coulomb's
 * part of the Fock matrix. */
double integrals_row(const struct boys *boys, const struct bra *bra, const struct tile_pair *ket,
                     int count, const double *density, double *coulomb, double *value);

#endif
