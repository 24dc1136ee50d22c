/* SPDX-License-Identifier: BSD-3-Clause */
/* The few operations on square matrices that the iteration needs, by BLAS and LAPACK. Matrices are
 * row by row. */
#ifndef JUGGLE_SCF_ALGEBRA_H
#define JUGGLE_SCF_ALGEBRA_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

/* c = op(a) op(b), each n by n; `turn_a`, `turn_b`: take the transpose. */
void algebra_multiply(int n, const double *a, bool turn_a, const double *b, bool turn_b, double *c);

/* Eigenvectors of a symmetric matrix replace it, one a row, by rising eigenvalue. -EDOM: no
 * convergence; -ENOMEM. */
int algebra_diagonalize(int n, double *matrix, double *eigenvalue) MUST_CHECK;

/* Solves a x = b in place of both; -EDOM if a is singular. */
int algebra_solve(int n, double *a, double *b) MUST_CHECK;

/* The sum of the products of their elements. */
double algebra_dot(size_t length, const double *a, const double *b);

#endif
