/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/suite.h"

#include "libjuggle/ground/prng.h"

START_TEST(same_seed_gives_same_numbers)
{
    struct prng a, b;

    prng_seed(&a, 7);
    prng_seed(&b, 7);
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(prng_next(&a), prng_next(&b));
}

START_TEST(below_is_fair_over_three)
{
    struct prng prng;
    int seen[3] = {0};

    prng_seed(&prng, 0);
    for (int i = 0; i < 30000; i++)
        seen[prng_below(&prng, 3)]++;
    for (int i = 0; i < 3; i++)
        ck_assert(seen[i] > 9600 && seen[i] < 10400);
}

START_TEST(unit_stays_in_its_interval)
{
    struct prng prng;
    double sum = 0;

    prng_seed(&prng, 1);
    for (int i = 0; i < 10000; i++) {
        double u = prng_unit(&prng);
        ck_assert(u >= 0 && u < 1);
        sum += u;
    }
    ck_assert_double_eq_tol(sum / 10000, 0.5, 0.01);
}

SUITE("prng")
