/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of a command as it is, with juggle and with --fit, held against each other. Pure. */
#ifndef JUGGLE_BENCHMARK_H
#define JUGGLE_BENCHMARK_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <stdio.h>

enum variant { VARIANT_PLAIN, VARIANT_JUGGLE, VARIANT_FIT, VARIANTS_COUNT };

enum { BENCHMARK_ROUNDS_MAX = 1000 };

struct benchmark {
    char *const *command; /* ends with NULL */
    int rounds_asked;
    int rounds; /* that are complete */
    int64_t times_ns[BENCHMARK_ROUNDS_MAX][VARIANTS_COUNT];
};

/* A median and the interval that holds that of infinitely many runs, as sure as is said. */
struct estimate {
    double median, low, high;
};

struct verdict {
    double confidence; /* of all intervals: 0.97 of six rounds, 0 of one */
    struct estimate times_ns[VARIANTS_COUNT];
    struct estimate ratios[VARIANTS_COUNT]; /* to the run as it is in the same round */
    enum variant use;
};

/* By order statistics, which assume nothing of how times are distributed: the narrowest interval
 * that is sure to 95 %, or with too few rounds for that the whole range. What is used is the
 * fastest of those that are faster than the command as it is, surely by more than chance. At least
 * one round. */
void benchmark_judge(const struct benchmark *benchmark, struct verdict *verdict);

/* "as it is", "juggle", "juggle --fit" */
const char *variant_name(enum variant variant);

void benchmark_print_text(const struct benchmark *benchmark, FILE *out);

/* -EIO when it could not be written whole, -ENOMEM. */
int benchmark_print_json(const struct benchmark *benchmark, FILE *out) MUST_CHECK;

#endif
