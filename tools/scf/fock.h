/* SPDX-License-Identifier: BSD-3-Clause */
/* The two-electron part of the Fock matrix, by tasks: a task is a quadruple of tiles. Integrals are
 * computed once for all eight orders of their indices, so only quadruples in canonical order do
 * anything, and of those only the ones that screening leaves. */
#ifndef JUGGLE_SCF_FOCK_H
#define JUGGLE_SCF_FOCK_H

#include "tools/scf/quadruples.h"

/* The density, laid out for tasks; shared by all who execute them. */
struct density {
    double *tile;  /* [I][J], each tile * tile, rows of the first */
    double **pair; /* by tile_pair_index: of each pair kept */
    double *pairs; /* where they lie */
};

/* What one worker has added up. */
struct accumulator {
    double *exchange; /* as density's tiles */
    double **coulomb; /* as density's pairs */
    double *coulombs;
    double *value; /* scratch: the integrals of a row */
};

struct fock {
    const struct pairs *pairs;
    const struct boys *boys;
    struct density density;
    int workers_count;
    struct accumulator *worker;
    size_t tiles_length; /* doubles */
    size_t pairs_length;
};

int fock_create(const struct pairs *pairs, const struct boys *boys, int workers_count,
                struct fock *fock) MUST_CHECK;
void fock_destroy(struct fock *fock);

/* A new build: takes in the density, functions_count squared, and empties the accumulators. */
void fock_begin(struct fock *fock, const double *density);

/* Executes a task; false if there was nothing to do. */
bool fock_execute(struct fock *fock, int worker, const struct quadruple *quadruple);

/* Adds up the workers into `two_electron`, functions_count squared: this process' share. */
void fock_end(const struct fock *fock, double *two_electron);

#endif
