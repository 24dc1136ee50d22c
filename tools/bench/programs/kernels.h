/* SPDX-License-Identifier: BSD-3-Clause */
/* What small parallel programs compute: parts of three well-known loops, for the items from `from`
 * to below `to`, so that OpenMP, pthreads and MPI can share them out as they like. */
#ifndef JUGGLE_BENCH_KERNELS_H
#define JUGGLE_BENCH_KERNELS_H

struct share {
    int from, to;
};

/* The part of `count` items that falls to one of `parts`. */
struct share share_of(int count, int part, int parts);

/* A rod of temperatures: each becomes the mean of itself and its neighbors. The ends stay. */
void heat_step(const double *now, double *next, int count, struct share share);

/* Rows of a banded matrix times a vector, and the scalar product of the result with the vector. */
double band_multiply(const double *vector, double *result, int count, struct share share);

/* Bodies on a line that attract each other: how much each is drawn. */
void draw_bodies(const double *places, double *forces, int count, struct share share);

/* What they begin with. */
void fill(double *values, int count);

#endif
