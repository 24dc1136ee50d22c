/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits recurring work to a share of one processor: the next activity may begin when the last one
 * has cost at most that share of the time since it began. Pure. */
#ifndef JUGGLE_JOB_ALLOWANCE_H
#define JUGGLE_JOB_ALLOWANCE_H

#include "libjuggle/ground/units.h"

/* Of one processor, in millionths. */
enum { SHARE_ALL_PPM = 1000000 };

/* All zero at first. */
struct allowance {
    int64_t began_ns; /* when the last activity began */
    int64_t cost_ns;  /* its cost in processor time */
    int64_t spent_ns; /* the caller's processor time when it ended */
};

static inline void allowance_begin(struct allowance *allowance, int64_t now_ns)
{
    allowance->began_ns = now_ns;
}

/* The same if the caller has done other work in between, which is not to count: `spent_ns` is its
 * processor time now. */
static inline void allowance_resume(struct allowance *allowance, int64_t now_ns, int64_t spent_ns)
{
    allowance->began_ns = now_ns;
    allowance->spent_ns = spent_ns;
}

static inline void allowance_end(struct allowance *allowance, int64_t spent_ns)
{
    allowance->cost_ns = spent_ns - allowance->spent_ns;
    allowance->spent_ns = spent_ns;
}

/* When the next activity may begin. With a share of 100 % there is no wait. */
static inline int64_t allowance_due_ns(const struct allowance *allowance, int share_ppm)
{
    return share_ppm >= SHARE_ALL_PPM
               ? INT64_MIN
               : allowance->began_ns + allowance->cost_ns * SHARE_ALL_PPM / share_ppm;
}

#endif
