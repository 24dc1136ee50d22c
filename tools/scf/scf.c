/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/scf/scf.h"

#include "tools/scf/algebra.h"
#include "tools/scf/one_electron.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Combinations of functions with a smaller eigenvalue of the overlap are left out, because they are
 * almost linearly dependent. */
static const double DEPENDENT = 1e-9;

/* Smaller errors are rounding errors, and combinations of them are meaningless. */
static const double SETTLED = 1e-11;

static size_t length_of(const struct scf *scf)
{
    return (size_t)scf->size * (size_t)scf->size;
}

/* Computes overlap^(-1/2) = U s^(-1/2) U', with the eigenvectors U in rows. */
static int root_make(struct scf *scf)
{
    const int n = scf->size;
    double *vector = scf->scratch[0], *scaled = scf->scratch[1];
    int error;

    memcpy(vector, scf->overlap, length_of(scf) * sizeof(double));
    error = algebra_diagonalize(n, vector, scf->eigenvalue);
    if (error < 0)
        return error;
    for (int i = 0; i < n; i++) {
        const double value = scf->eigenvalue[i];
        const double factor = value > DEPENDENT ? 1 / sqrt(value) : 0;

        for (int j = 0; j < n; j++)
            scaled[i * n + j] = factor * vector[i * n + j];
    }
    algebra_multiply(n, vector, true, scaled, false, scf->root);
    return 0;
}

static int memory_take(struct scf *scf)
{
    double **const matrix[] = {&scf->hamiltonian, &scf->overlap,   &scf->root,
                               &scf->density,     &scf->fock,      &scf->scratch[0],
                               &scf->scratch[1],  &scf->scratch[2]};
    bool complete = true;

    for (size_t m = 0; m < ARRAY_COUNT(matrix); m++)
        complete &= !!(*matrix[m] = calloc(length_of(scf), sizeof(double)));
    for (int h = 0; h < SCF_HISTORY; h++) {
        complete &= !!(scf->history_fock[h] = malloc(length_of(scf) * sizeof(double)));
        complete &= !!(scf->history_error[h] = malloc(length_of(scf) * sizeof(double)));
    }
    complete &= !!(scf->eigenvalue = malloc((size_t)scf->size * sizeof(double)));
    return complete ? 0 : -ENOMEM;
}

int scf_create(const struct chain *chain, const struct boys *boys, struct scf *scf)
{
    struct scf new = {
        .chain = chain, .size = chain->functions_count, .repulsion = chain_repulsion(chain)};
    int error = memory_take(&new);

    if (!error) {
        one_electron_overlap(chain, new.overlap);
        one_electron_hamiltonian(chain, boys, new.hamiltonian);
        error = root_make(&new);
    }
    if (!error)
        *scf = new;
    else
        scf_destroy(&new);
    return error;
}

void scf_destroy(struct scf *scf)
{
    double *const matrix[] = {scf->hamiltonian, scf->overlap,    scf->root,
                              scf->density,     scf->fock,       scf->scratch[0],
                              scf->scratch[1],  scf->scratch[2], scf->eigenvalue};

    for (size_t m = 0; m < ARRAY_COUNT(matrix); m++)
        free(matrix[m]);
    for (int h = 0; h < SCF_HISTORY; h++) {
        free(scf->history_fock[h]);
        free(scf->history_error[h]);
    }
}

void scf_begin(struct scf *scf, const double *atom_density)
{
    const int n = scf->size, per = CHAIN_FUNCTIONS_PER_ATOM;

    memset(scf->density, 0, length_of(scf) * sizeof(double));
    for (int i = 0; i < n; i++)
        for (int j = i / per * per; j < (i / per + 1) * per; j++)
            scf->density[i * n + j] = atom_density[i % per * per + j % per];
    scf->history_count = 0;
}

/* Computes root' m root, which is m in an orthonormal basis. `m` and `out` may be the same. */
static void orthonormal(struct scf *scf, const double *m, double *out)
{
    double *half = scf->scratch[0];

    algebra_multiply(scf->size, m, false, scf->root, false, half);
    algebra_multiply(scf->size, scf->root, false, half, false, out);
}

/* Computes FDS - SDF, which is zero if the density is self-consistent. */
static void error_make(struct scf *scf, double *error)
{
    const int n = scf->size;
    double *product = scf->scratch[1], *half = scf->scratch[2];
    double greatest = 0;

    algebra_multiply(n, scf->fock, false, scf->density, false, half);
    algebra_multiply(n, half, false, scf->overlap, false, product);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            error[i * n + j] = product[i * n + j] - product[j * n + i];
    orthonormal(scf, error, error);
    for (size_t i = 0; i < length_of(scf); i++)
        greatest = fmax(greatest, fabs(error[i]));
    scf->error = greatest;
}

/* Computes the weights of the smallest combination of past errors, with a Lagrange multiplier for
 * the condition that the weights add up to 1. Returns 0, -EDOM if the errors are linearly
 * dependent, or -ENOMEM. */
static int mixture(const struct scf *scf, int count, double *weight)
{
    enum { SIDE = SCF_HISTORY + 1 };
    double system[SIDE * SIDE];
    const int side = count + 1;

    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            system[i * side + j] = algebra_dot(length_of(scf), scf->history_error[i],
                                               scf->history_error[j]);
        system[i * side + count] = system[count * side + i] = -1;
        weight[i] = 0;
    }
    system[count * side + count] = 0;
    weight[count] = -1;
    const double scale = 1 / fmax(system[0], 1e-300);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            system[i * side + j] *= scale;
    return algebra_solve(side, system, weight);
}

/* Replaces the Fock matrix by a mixture of the latest ones, unless that is not possible. */
static void extrapolate(struct scf *scf)
{
    const int count = (int)min_i64(scf->history_count, SCF_HISTORY);
    double weight[SCF_HISTORY + 1];

    if (count < 2 || scf->error < SETTLED)
        return;
    if (mixture(scf, count, weight) < 0) {
        scf->history_count = 0;
        return;
    }
    memset(scf->fock, 0, length_of(scf) * sizeof(double));
    for (int h = 0; h < count; h++)
        for (size_t i = 0; i < length_of(scf); i++)
            scf->fock[i] += weight[h] * scf->history_fock[h][i];
}

/* Makes the density of two electrons in each of the lowest orbitals. */
static int density_make(struct scf *scf)
{
    const int n = scf->size;
    const int occupied = scf->chain->atoms_count * CHAIN_ELECTRONS_PER_ATOM / 2;
    double *orbital = scf->scratch[1], *back = scf->scratch[2];
    int error;

    orthonormal(scf, scf->fock, orbital);
    error = algebra_diagonalize(n, orbital, scf->eigenvalue);
    if (error < 0)
        return error;
    memset(orbital + (size_t)occupied * (size_t)n, 0,
           (size_t)(n - occupied) * (size_t)n * sizeof(double));
    algebra_multiply(n, orbital, false, scf->root, false, back);
    algebra_multiply(n, back, true, back, false, scf->density);
    for (size_t i = 0; i < length_of(scf); i++)
        scf->density[i] *= 2;
    return 0;
}

int scf_advance(struct scf *scf, const double *two_electron)
{
    const int slot = scf->history_count % SCF_HISTORY;

    for (size_t i = 0; i < length_of(scf); i++)
        scf->fock[i] = scf->hamiltonian[i] + two_electron[i];
    scf->energy = scf->repulsion +
                  0.5 * (algebra_dot(length_of(scf), scf->density, scf->hamiltonian) +
                         algebra_dot(length_of(scf), scf->density, scf->fock));
    memcpy(scf->history_fock[slot], scf->fock, length_of(scf) * sizeof(double));
    error_make(scf, scf->history_error[slot]);
    scf->history_count++;
    extrapolate(scf);
    return density_make(scf);
}
