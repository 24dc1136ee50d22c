/* SPDX-License-Identifier: BSD-3-Clause */
/* The computations of small parallel programs: three well-known loops, each for the items from
 * `from` to below `to`, so that OpenMP, pthreads and MPI can distribute the items. */
#ifndef JUGGLE_BENCH_KERNELS_H
#define JUGGLE_BENCH_KERNELS_H

struct share {
    int from, to;
};

/* Returns the items of part `part`, if `count` items are divided into `parts`. */
struct share share_of(int count, int part, int parts);

/* Temperatures of a rod: each becomes the mean of itself and its neighbors. The ends stay. */
void heat_step(const double *now, double *next, int count, struct share share);

/* Multiplies rows of a banded matrix by a vector, and returns the scalar product of these rows of
 * the result with the vector. */
double band_multiply(const double *vector, double *result, int count, struct share share);

/* Computes the force on bodies on a line that attract each other. */
void draw_bodies(const double *places, double *forces, int count, struct share share);

/* Fills in the initial values. */
void fill(double *values, int count);

#endif
