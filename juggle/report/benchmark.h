/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares runs of a command as it is, with juggle and with --fit. Pure. */
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
    int rounds; /* number of complete rounds */
    int64_t times_ns[BENCHMARK_ROUNDS_MAX][VARIANTS_COUNT];
};

/* A median, and the confidence interval of the true median, `low` to `high`. */
struct estimate {
    double median, low, high;
};

struct verdict {
    double confidence; /* confidence of all intervals: 0.97 with six rounds, 0 with one */
    struct estimate times_ns[VARIANTS_COUNT];
    struct estimate ratios[VARIANTS_COUNT]; /* to the run as it is in the same round */
    enum variant use;
};

/* Judges by order statistics, which assume nothing about the distribution of times. An interval
 * is the narrowest that has a confidence of 95 %, or the whole range if there are too few rounds
 * for that. `use` is the fastest variant that is significantly faster than the command as it is.
 * At least one round is needed. */
void benchmark_judge(const struct benchmark *benchmark, struct verdict *verdict);

/* "as it is", "juggle", "juggle --fit" */
const char *variant_name(enum variant variant);

void benchmark_print_text(const struct benchmark *benchmark, FILE *out);

/* -EIO if it could not be written completely, -ENOMEM. */
int benchmark_print_json(const struct benchmark *benchmark, FILE *out) MUST_CHECK;

#endif
