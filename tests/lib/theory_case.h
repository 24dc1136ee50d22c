/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases of the theory for tests: e is one second, so times in seconds are times in units of e. */
#ifndef JUGGLE_TESTS_LIB_THEORY_CASE_H
#define JUGGLE_TESTS_LIB_THEORY_CASE_H

#include "libjuggle/theory/theory.h"

#include <math.h>

static inline struct theory_case case_of(int n, int m, double lambda, int phases)
{
    return (struct theory_case){
        .n = n,
        .m = m,
        .e_ns = NSEC_PER_SEC,
        .lambda_ns = (int64_t)llround(lambda * (double)NSEC_PER_SEC),
        .phases = phases,
        .domains = 1,
    };
}

static inline double in_e(double time_ns)
{
    return time_ns / (double)NSEC_PER_SEC;
}

#endif
