/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a thread has run how long for a known part of its work: what speeds are learned from.
 * Internal to policy/. */
#ifndef JUGGLE_POLICY_STINTS_H
#define JUGGLE_POLICY_STINTS_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum { STINTS_MAX = 8 };

/* Time that was run on one processor. */
struct stint {
    int processor;
    double alone_ns;
    double beside_ns; /* while a sibling ran threads of ours */
};

struct stints {
    struct stint items[STINTS_MAX];
    int count;
    bool overflown; /* there were more */
};

/* `beside` is the part of the time in which a sibling was busy. */
void stints_add(struct stints *stints, int processor, double run_ns, double beside);

void stints_clear(struct stints *stints);

/* All that was run. */
double stints_run_ns(const struct stints *stints);

#endif
