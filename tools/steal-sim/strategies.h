/* SPDX-License-Identifier: BSD-3-Clause */
/* How trees are searched: the strategies of the papers. */
#ifndef JUGGLE_STEAL_SIM_STRATEGIES_H
#define JUGGLE_STEAL_SIM_STRATEGIES_H

#include "libjuggle/steal.h"

#include <stdbool.h>

struct sim_strategy {
    const char *name;
    enum steal_victim victim;
    enum steal_amount amount;
    enum steal_termination termination;
    int lifelines, tries;
    bool scatter;
};

/* NULL: there is none of that name. */
const struct sim_strategy *sim_strategy_find(const char *name);

#endif
