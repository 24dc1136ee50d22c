/* SPDX-License-Identifier: BSD-3-Clause */
/* The papers' strategies of searching trees. */
#ifndef JUGGLE_UTS_STRATEGIES_H
#define JUGGLE_UTS_STRATEGIES_H

#include "libjuggle/steal.h"

#include <stdbool.h>

#define STRATEGY_NAMES \
    "reference, reference-half, rand, rand-half, tofu, tofu-half, lifelines or default"

struct strategy {
    const char *name;
    enum steal_victim victim;
    enum steal_amount amount;
    enum steal_termination termination;
    int lifelines, tries;
    bool scatter;
};

/* Returns NULL if there is none of that name. */
const struct strategy *strategy_find(const char *name);

#endif
