/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/iterate/scheme.h"

#include <string.h>

/* "central" and "hierarchical" are as in the paper: the first iteration steals, the second begins
 * where tasks were executed, and balancing begins before the third. */
const struct scheme schemes[] = {
    {"stealall", SEED_ALL, .steals_first = true, .steals = true},
    {"steal", SEED_LIVE, .steals_first = true, .steals = true},
    {"retain", SEED_KEPT, .steals_first = true, .steals = true},
    {"central", SEED_KEPT, .steals_first = true, .balances = true, .balances_from = 2,
     .balancer = STEAL_BALANCER_CENTRAL},
    {"hierarchical", SEED_KEPT, .steals_first = true, .balances = true, .balances_from = 2,
     .balancer = STEAL_BALANCER_HIERARCHICAL},
    {"combined", SEED_KEPT, .steals_first = true, .steals = true, .balances = true,
     .balances_from = 1, .balancer = STEAL_BALANCER_HIERARCHICAL},
    {"static", SEED_LIVE, .steals = false},
    {0},
};

const struct scheme *scheme_find(const char *name)
{
    for (const struct scheme *scheme = schemes; scheme->name; scheme++)
        if (strcmp(scheme->name, name) == 0)
            return scheme;
    return NULL;
}

struct portion start_portion(enum start start, int64_t tasks_count, int rank, int ranks)
{
    if (start == START_DEALT)
        return (struct portion){rank, tasks_count, ranks};
    /* The first ranks get one more task if the division leaves a rest. Products stay small. */
    const int64_t each = tasks_count / ranks, more = tasks_count % ranks;
    const int64_t first = rank * each + (rank < more ? rank : more);

    return (struct portion){first, first + each + (rank < more), 1};
}
