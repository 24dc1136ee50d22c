/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/iterate/scheme.h"

#include <errno.h>
#include <string.h>

/* As the paper ran them: the balancers' first iteration steals, the second begins where tasks were
 * executed, and balancing begins before the third. */
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
    /* The first ranks take what is left over, and products stay small. */
    const int64_t each = tasks_count / ranks, more = tasks_count % ranks;
    const int64_t first = rank * each + (rank < more ? rank : more);

    return (struct portion){first, first + each + (rank < more), 1};
}

int option_start(const char *text, void *target, const char **expected)
{
    static const char *const names[] = {[START_DEALT] = "dealt", [START_BLOCKS] = "blocks"};

    *expected = "dealt or blocks";
    for (int start = START_DEALT; start <= START_BLOCKS; start++)
        if (strcmp(text, names[start]) == 0) {
            *(enum start *)target = (enum start)start;
            return 0;
        }
    return -EINVAL;
}

int option_order(const char *text, void *target, const char **expected)
{
    int order;

    *expected = "executed or longest";
    const int error = steal_choice_parse(STEAL_CHOICE_ORDER, text, &order);
    if (!error)
        *(enum steal_order *)target = (enum steal_order)order;
    return error;
}
