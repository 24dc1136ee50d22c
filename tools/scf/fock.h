/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two-electron part of the Fock matrix, by tasks: a task is a quadruple of tiles. Integrals are
 * computed once for all eight orders of their indices, so only quadruples in canonical order do
 * anything, and of those only the ones that screening leaves.
 */
#ifndef JUGGLE_SCF_FOCK_H
#define JUGGLE_SCF_FOCK_H

#include "tools/scf/pairs.h"

#include <stdbool.h>

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

struct quadruple {
    int i, j, k, l; /* tiles */
};

int fock_create(const struct pairs *pairs, const struct boys *boys, int workers_count,
                struct fock *fock) MUST_CHECK;
void fock_destroy(struct fock *fock);

/* Numbers all quadruples of tiles, from 0 to tiles_count^4 - 1. */
struct quadruple fock_quadruple(const struct pairs *pairs, int64_t number);
int64_t fock_quadruples_count(const struct pairs *pairs);

/* Whether screening leaves anything of it, in whatever order of its indices; and whether it stands
 * for the other orders. */
bool fock_survives(const struct pairs *pairs, const struct quadruple *quadruple);
bool fock_canonical(const struct quadruple *quadruple);

/* How many integrals a quadruple has to compute: its cost, as far as that is known beforehand. */
int64_t fock_integrals_count(const struct pairs *pairs, const struct quadruple *quadruple);

/* A new build: takes in the density, functions_count squared, and empties the accumulators. */
void fock_begin(struct fock *fock, const double *density);

/* Executes a task; false if there was nothing to do. */
bool fock_execute(struct fock *fock, int worker, const struct quadruple *quadruple);

/* Adds up the workers into `two_electron`, functions_count squared: this process' share. */
void fock_end(const struct fock *fock, double *two_electron);

#endif
