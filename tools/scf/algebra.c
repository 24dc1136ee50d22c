/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/scf/algebra.h"

#include "tools/iterate/blas.h"

#include <errno.h>
#include <stdlib.h>

/* Functions of LAPACK, which stores matrices by columns: a row here is a column there. */
void dsyevd_(const char *job, const char *half, const int *n, double *a, const int *lda, double *w,
             double *work, const int *work_count, int *iwork, const int *iwork_count, int *info);
void dgesv_(const int *n, const int *columns, double *a, const int *lda, int *pivot, double *b,
            const int *ldb, int *info);

void algebra_multiply(int n, const double *a, bool turn_a, const double *b, bool turn_b, double *c)
{
    const double one = 1, zero = 0;

    /* The transpose of a b is b' a'. */
    dgemm_(turn_b ? "T" : "N", turn_a ? "T" : "N", &n, &n, &n, &one, b, &n, a, &n, &zero, c, &n);
}

int algebra_diagonalize(int n, double *matrix, double *eigenvalue)
{
    const int ask = -1;
    double work_size;
    int iwork_size, info;

    dsyevd_("V", "U", &n, matrix, &n, eigenvalue, &work_size, &ask, &iwork_size, &ask, &info);
    const int work_count = (int)work_size;
    double *work = malloc((size_t)work_count * sizeof(*work));
    int *iwork = malloc((size_t)iwork_size * sizeof(*iwork));
    int error = -ENOMEM;

    if (work && iwork) {
        dsyevd_("V", "U", &n, matrix, &n, eigenvalue, work, &work_count, iwork, &iwork_size, &info);
        error = info ? -EDOM : 0;
    }
    free(work);
    free(iwork);
    return error;
}

int algebra_solve(int n, double *a, double *b)
{
    const int one = 1;
    int *pivot = malloc((size_t)n * sizeof(*pivot));
    int info;

    if (!pivot)
        return -ENOMEM;
    dgesv_(&n, &one, a, &n, pivot, b, &n, &info);
    free(pivot);
    return info ? -EDOM : 0;
}

double algebra_dot(size_t length, const double *a, const double *b)
{
    double sum = 0;

    for (size_t i = 0; i < length; i++)
        sum += a[i] * b[i];
    return sum;
}
