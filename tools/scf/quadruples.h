/* SPDX-License-Identifier: BSD-3-Clause */
/* Quadruples of tiles, the tasks of a Fock matrix: their numbers, and their screening. */
#ifndef JUGGLE_SCF_QUADRUPLES_H
#define JUGGLE_SCF_QUADRUPLES_H

#include "tools/scf/pairs.h"

#include <stdbool.h>

struct quadruple {
    int i, j, k, l; /* tiles */
};

/* Numbers all quadruples of tiles, from 0 to tiles_count^4 - 1. */
struct quadruple quadruple_at(const struct pairs *pairs, int64_t number);
int64_t quadruples_count(const struct pairs *pairs);

/* quadruple_survives is true if screening leaves any integral of it; this does not depend on the
 * order of its indices. quadruple_canonical is true if it stands for the other orders. */
bool quadruple_survives(const struct pairs *pairs, const struct quadruple *quadruple);
bool quadruple_canonical(const struct quadruple *quadruple);

/* Returns how many integrals the task computes: its cost as far as it can be predicted. */
int64_t quadruple_integrals(const struct pairs *pairs, const struct quadruple *quadruple);

#endif
