/* SPDX-License-Identifier: BSD-3-Clause */
/* What is called of BLAS, whose matrices lie by columns. */
#ifndef JUGGLE_ITERATE_BLAS_H
#define JUGGLE_ITERATE_BLAS_H

/* c = alpha op(a) op(b) + beta c; op: "N" as it is, "T" transposed. */
void dgemm_(const char *turn_a, const char *turn_b, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc);

/* Makes libraries that have threads of their own compute with none but the caller: ranks and
 * workers are as many as there are processors, and threads that wait for more to do burn these. */
void blas_alone(void);

#endif
