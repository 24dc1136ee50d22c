/* SPDX-License-Identifier: BSD-3-Clause */
/* Values as people write them: whole numbers, durations, shares, yes or no. Pure. */
#ifndef JUGGLE_WISH_VALUE_H
#define JUGGLE_WISH_VALUE_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

/* -EINVAL: no whole number; -ERANGE: not within [low, high]. */
int number_parse(const char *text, int64_t low, int64_t high, int64_t *number) MUST_CHECK;

/* "250us", "1.5s", "2 ms", "3m", "1h"; a bare number is refused. -EINVAL, -ERANGE. */
int duration_parse(const char *text, int64_t *duration_ns) MUST_CHECK;

/* Writes the shortest exact-to-3-digits form ("1.5 s", "250 us"); returns buffer. */
char *duration_format(int64_t duration_ns, char *buffer, size_t size);

enum { DURATION_SIZE = 32 };

/* A duration as text, which is valid until the end of the block. */
#define IN_WORDS(duration_ns) \
    duration_format((int64_t)(duration_ns), (char[DURATION_SIZE]){0}, DURATION_SIZE)

/* Reads a decimal number as in decimal.h. Returns where it ends; NULL: there is none, or it is too
 * large. */
const char *decimal_read(const char *text, double *value);

/* "10%" or "0.1", from 0 to 1. -EINVAL. */
int share_parse(const char *text, double *share) MUST_CHECK;

/* yes, true, 1; no, false, 0 and the empty text. -EINVAL. */
int flag_parse(const char *text, bool *flag) MUST_CHECK;

#endif
