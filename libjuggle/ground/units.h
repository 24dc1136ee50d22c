/* SPDX-License-Identifier: BSD-3-Clause */
/* Units and the few helpers that every room may use: time is int64_t nanoseconds. */
#ifndef JUGGLE_GROUND_UNITS_H
#define JUGGLE_GROUND_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define NSEC_PER_USEC INT64_C(1000)
#define NSEC_PER_MSEC INT64_C(1000000)
#define NSEC_PER_SEC  INT64_C(1000000000)
#define NSEC_PER_YEAR (365 * 24 * 3600 * NSEC_PER_SEC)

/* A result that must not be dropped. */
#define MUST_CHECK __attribute__((warn_unused_result))

#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline int64_t min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t clamp_i64(int64_t value, int64_t low, int64_t high)
{
    return min_i64(max_i64(value, low), high);
}

/* The ending of a noun: "1 round", "2 rounds". */
static inline const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* Quotients of a non-negative count by a positive one: the paper's floor and ceiling of n/m. */
static inline int floor_div(int count, int divisor)
{
    return count / divisor;
}

static inline int ceil_div(int count, int divisor)
{
    return (count + divisor - 1) / divisor;
}

#endif
