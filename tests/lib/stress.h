/* SPDX-License-Identifier: BSD-3-Clause */
/* How many cases a test runs: all of them with STRESS=1 in the environment; SEEDS=FIRST-LAST
 * chooses the seeds. */
#ifndef JUGGLE_TESTS_STRESS_H
#define JUGGLE_TESTS_STRESS_H

#include <check.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline bool stress(void)
{
    return getenv("STRESS") != NULL;
}

struct seeds {
    uint64_t first, last;
};

/* Returns the seeds of the environment, or else `count` seeds from `first` on. */
static inline struct seeds seeds_wanted(uint64_t first, uint64_t count)
{
    struct seeds seeds = {first, first + count - 1};
    const char *range = getenv("SEEDS");

    if (range)
        ck_assert_int_eq(sscanf(range, "%" SCNu64 "-%" SCNu64, &seeds.first, &seeds.last), 2);
    return seeds;
}

#endif
