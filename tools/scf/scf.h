/* SPDX-License-Identifier: BSD-3-Clause */
/* The self-consistent field: a density goes out, the two-electron part of its Fock matrix comes in,
 * and the next density is better (Pulay's direct inversion in the iterative subspace). */
#ifndef JUGGLE_SCF_SCF_H
#define JUGGLE_SCF_SCF_H

#include "tools/scf/boys.h"
#include "tools/scf/chain.h"

enum { SCF_HISTORY = 8 };

struct scf {
    const struct chain *chain;
    int size; /* functions */
    double repulsion;
    double *hamiltonian;
    double *overlap;
    double *root; /* overlap^(-1/2) */
    double *density;
    double *fock;

    /* After scf_advance: of the density that went out. */
    double energy;
    double error; /* greatest element of FDS - SDF among orthonormal functions: 0 when done */

    int history_count; /* since the beginning */
    double *history_fock[SCF_HISTORY];
    double *history_error[SCF_HISTORY];
    double *scratch[3];
    double *eigenvalue;
};

/* Starts from nothing: no electron anywhere, so that the first Fock matrix is the nuclei's alone.
 * -ENOMEM, -EDOM (the functions are not independent). */
int scf_create(const struct chain *chain, const struct boys *boys, struct scf *scf) MUST_CHECK;
void scf_destroy(struct scf *scf);

/* Starts from the densities of atoms that stand alone, each functions-per-atom squared. */
void scf_begin(struct scf *scf, const double *atom_density);

/* Takes the two-electron part for the density, says energy and error, makes the next density. */
int scf_advance(struct scf *scf, const double *two_electron) MUST_CHECK;

#endif
