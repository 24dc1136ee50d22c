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

/* Decimal numbers, each of which stands for one processor or, with "xCOUNT" behind it, for several;
 * and "smt=NUMBER" at most once, the factor of a processor whose sibling is busy, alone or with
 * them. -EINVAL: it is no such list; -ERANGE: a speed below 0.001 or above 1000, a factor above 1,
 * or more speeds than a machine holds. */
int rates_parse(const char *text, struct rates *rates) MUST_CHECK;

/* One such number at the beginning of the text; *end is what follows it. As above. */
int rate_parse(const char *text, const char **end, int64_t *rate) MUST_CHECK;

/* "xCOUNT" at the beginning of the text, or *count = 1 if there is none. As above. */
int rate_times_parse(const char *text, const char **end, int *count) MUST_CHECK;

#endif
