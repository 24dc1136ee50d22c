/* SPDX-License-Identifier: BSD-3-Clause */
/* Bins of durations whose width grows with the duration: 2^resolution of them for each doubling. */
#ifndef JUGGLE_STEAL_PLACEMENT_BINS_H
#define JUGGLE_STEAL_PLACEMENT_BINS_H

#include "libjuggle/ground/units.h"

enum {
    BINS_RESOLUTION_MAX = 6,
    /* Number of bins for all durations that an int64_t holds, at the finest resolution. */
    BINS_MAX = (63 - BINS_RESOLUTION_MAX + 1) << BINS_RESOLUTION_MAX,
};

static inline uint32_t bins_count(unsigned resolution)
{
    return (63 - resolution + 1) << resolution;
}

/* Returns the bin of a duration. The range from each power of two to the next is cut into
 * 2^resolution equal parts; durations below 2^resolution have bins of one nanosecond. A longer
 * duration is never in an earlier bin. */
static inline uint32_t bins_of(int64_t duration_ns, unsigned resolution)
{
    const uint64_t value = duration_ns > 0 ? (uint64_t)duration_ns : 0;

    if (value >> resolution == 0)
        return (uint32_t)value;
    const unsigned coarse = 63 - (unsigned)__builtin_clzll(value) - resolution;
    return (coarse << resolution) + (uint32_t)(value >> coarse);
}

#endif
