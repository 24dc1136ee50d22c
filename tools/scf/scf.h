/* SPDX-License-Identifier: BSD-3-Clause */
/* The self-consistent field. From a density, the caller computes the two-electron part of its Fock
 * matrix; from that, scf_advance() computes a better density (Pulay's direct inversion in the
 * iterative subspace). */
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

    /* After scf_advance: of the density before it. */
    double energy;
    double error; /* greatest element of FDS - SDF in an orthonormal basis: 0 if self-consistent */

    int history_count; /* Fock matrices since the history was cleared; SCF_HISTORY are kept */
    double *history_fock[SCF_HISTORY];
    double *history_error[SCF_HISTORY];
    double *scratch[3];
    double *eigenvalue;
};

/* Starts with a density of zero, so that the first Fock matrix is that of the nuclei only. Returns
 * 0, -ENOMEM, or -EDOM if the overlap cannot be diagonalized. */
int scf_create(const struct chain *chain, const struct boys *boys, struct scf *scf) MUST_CHECK;
void scf_destroy(struct scf *scf);

/* Starts with the density of a single atom, functions per atom squared, for each atom. */
void scf_begin(struct scf *scf, const double *atom_density);

/* Takes the two-electron part of the Fock matrix of the density, computes the energy and the error,
 * and makes the next density. Returns 0, -ENOMEM or -EDOM. */
int scf_advance(struct scf *scf, const double *two_electron) MUST_CHECK;

#endif
