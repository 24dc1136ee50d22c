/* SPDX-License-Identifier: BSD-3-Clause */
/* The times at which a hog sleeps and computes. They depend on the seed, not on the machine. */
#ifndef JUGGLE_CPUHOG_SCHEDULE_H
#define JUGGLE_CPUHOG_SCHEDULE_H

#include "libjuggle/ground/prng.h"
#include "libjuggle/ground/units.h"

#include <stdbool.h>

struct duration_range {
    int64_t low_ns;
    int64_t high_ns;
};

struct schedule {
    struct duration_range sleep;
    struct duration_range compute;
    struct prng prng;
    int64_t end_ns; /* end of the latest cycle, since the start */
};

/* A cycle sleeps up to `compute_from_ns`, then computes up to `end_ns`, both since the start. */
struct cycle {
    int64_t compute_from_ns;
    int64_t end_ns;
};

/* Parses "5s-10s", or one duration for both ends. Returns 0, -EINVAL, or -ERANGE if the ends are
 * swapped. */
int duration_range_parse(const char *text, struct duration_range *range) MUST_CHECK;

/* True if the longest possible cycle computes or sleeps for at least 1 ns, because a run of shorter
 * cycles would never end, and takes at most a year, because longer times could overflow. */
bool cycle_is_possible(struct duration_range sleep, struct duration_range compute, double scale);

struct duration_range duration_range_scaled(struct duration_range range, double scale);

void schedule_init(struct schedule *schedule, struct duration_range sleep,
                   struct duration_range compute, uint64_t seed);

struct cycle schedule_next(struct schedule *schedule);

#endif
