/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals over one electron: the overlap of functions, and the energy of an electron among
 * nuclei. */
#ifndef JUGGLE_SCF_ONE_ELECTRON_H
#define JUGGLE_SCF_ONE_ELECTRON_H

#include "tools/scf/boys.h"
#include "tools/scf/chain.h"

/* Fill symmetric matrices of functions_count squared. */
void one_electron_overlap(const struct chain *chain, double *overlap);
void one_electron_hamiltonian(const struct chain *chain, const struct boys *boys,
                              double *hamiltonian);

#endif
