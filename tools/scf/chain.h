/* SPDX-License-Identifier: BSD-3-Clause */
/* A chain of beryllium atoms along x and its basis: fifteen normalized Gaussians per atom, all of s
 * type, nine at the atom and six beside it. In atomic units. */
#ifndef JUGGLE_SCF_CHAIN_H
#define JUGGLE_SCF_CHAIN_H

#include "libjuggle/ground/units.h"

enum { CHAIN_FUNCTIONS_PER_ATOM = 15, CHAIN_ELECTRONS_PER_ATOM = 4, CHAIN_ATOMS_MAX = 1024 };

/* norm * exp(-exponent * |r - (x, y, z)|^2) */
struct gaussian {
    double x, y, z;
    double exponent;
    double norm;
};

struct chain {
    int atoms_count;
    int functions_count;
    struct gaussian *function;
};

/* Returns 0 or -ENOMEM. */
int chain_create(int atoms_count, struct chain *chain) MUST_CHECK;
void chain_destroy(struct chain *chain);

double chain_atom_x(int atom);

/* Returns the energy of the repulsion between the nuclei. */
double chain_repulsion(const struct chain *chain);

#endif
