/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates as people write them: speeds with commas between, such as "1,1,0.5" or
 * "1x4,0.6x4,smt=0.62". */
#ifndef JUGGLE_GROUND_RATES_H
#define JUGGLE_GROUND_RATES_H

#include "libjuggle/ground/machine.h"

struct rates {
    int64_t smt_rate; /* 0: not said */
    int count;
    int64_t values[MACHINE_PROCESSORS_MAX];
};

/* Parses decimal numbers with commas between. Each stands for one processor or, if "xCOUNT"
 * follows, for that many. "smt=NUMBER" may come once, alone or among them: the factor of a
 * processor whose sibling is busy. -EINVAL: the text is no such list; -ERANGE: a speed below 0.001
 * or above 1000, a factor above 1, or more speeds than a machine holds. */
int rates_parse(const char *text, struct rates *rates) MUST_CHECK;

/* Parses one such number at the beginning of the text; *end is the text behind it. Errors as
 * above. */
int rate_parse(const char *text, const char **end, int64_t *rate) MUST_CHECK;

/* Parses "xCOUNT" at the beginning of the text; *count is 1 if there is none. Errors as above. */
int rate_times_parse(const char *text, const char **end, int *count) MUST_CHECK;

#endif
