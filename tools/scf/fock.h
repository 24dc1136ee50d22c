/* SPDX-License-Identifier: BSD-3-Clause */
/* The two-electron part of the Fock matrix, by tasks: a task is a quadruple of tiles. Integrals are
 * computed once for all eight orders of their indices, so a task has work to do only if its
 * quadruple is in canonical order and survives screening. */
#ifndef JUGGLE_SCF_FOCK_H
#define JUGGLE_SCF_FOCK_H

#include "tools/scf/quadruples.h"

/* The density in the layouts that tasks need; shared by all workers. */
struct density {
    double *tile;  /* [I][J]: blocks of tile * tile elements, each stored by rows of tile I */
    double **pair; /* by tile_pair_index: the element of each pair that was kept */
    double *pairs; /* the memory of `pair` */
};

/* The sums of one worker. */
struct accumulator {
    double *exchange; /* in the layout of struct density's `tile` */
    double **coulomb; /* in the layout of struct density's `pair` */
    double *coulombs; /* the memory of `coulomb` */
    double *value;    /* scratch: the integrals of a row */
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

/* Begins a new matrix: copies the density, functions_count squared, and clears the accumulators. */
void fock_begin(struct fock *fock, const double *density);

/* Executes a task. Returns false if there was nothing to do. */
bool fock_execute(struct fock *fock, int worker, const struct quadruple *quadruple);

/* Sums up the accumulators of all workers in `two_electron`, functions_count squared: the part of
 * this process. */
void fock_end(const struct fock *fock, double *two_electron);

#endif
