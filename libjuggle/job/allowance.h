/* SPDX-License-Identifier: BSD-3-Clause */
/* Limits recurring work to a share of one processor: after each time, it waits until its cost is at
 * most that share of the time since it began. Pure. */
#ifndef JUGGLE_JOB_ALLOWANCE_H
#define JUGGLE_JOB_ALLOWANCE_H

#include "libjuggle/ground/units.h"

/* Of one processor, in millionths. */
enum { SHARE_ALL_PPM = 1000000 };

/* All zero at first. */
struct allowance {
    int64_t began_ns; /* the last time */
    int64_t cost_ns;  /* of processor time */
    int64_t spent_ns; /* until then, since whenever */
};

static inline void allowance_begin(struct allowance *allowance, int64_t now_ns)
{
    allowance->began_ns = now_ns;
}

/* The same, where other work was done meanwhile. */
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
