/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations on square matrices that the iteration needs, by BLAS and LAPACK. Matrices are
 * stored by rows. */
#ifndef JUGGLE_SCF_ALGEBRA_H
#define JUGGLE_SCF_ALGEBRA_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

/* c = op(a) op(b), each n by n; `turn_a`, `turn_b`: take the transpose. */
void algebra_multiply(int n, const double *a, bool turn_a, const double *b, bool turn_b, double *c);

/* Replaces a symmetric matrix by its eigenvectors, one per row, by rising eigenvalue. Returns 0,
 * -EDOM if this does not converge, or -ENOMEM. */
int algebra_diagonalize(int n, double *matrix, double *eigenvalue) MUST_CHECK;

/* Solves a x = b for a symmetric a; x replaces b, and a is overwritten. Returns 0, -EDOM if a is
 * singular, or -ENOMEM. */
int algebra_solve(int n, double *a, double *b) MUST_CHECK;

/* Returns the sum of the products of their elements. */
double algebra_dot(size_t length, const double *a, const double *b);

#endif
