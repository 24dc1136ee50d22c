/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of BLAS that are used. Its matrices are stored by columns. */
#ifndef JUGGLE_ITERATE_BLAS_H
#define JUGGLE_ITERATE_BLAS_H

/* c = alpha op(a) op(b) + beta c; op is "N" (none) or "T" (transposed). */
void dgemm_(const char *turn_a, const char *turn_b, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);

/* Makes BLAS libraries that have threads of their own compute in the caller only: there are already
 * as many workers as processors, and threads of BLAS that wait for work would spin on them. */
void blas_alone(void);

#endif
