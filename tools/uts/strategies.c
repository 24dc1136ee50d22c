/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/uts/strategies.h"

#include <stddef.h>
#include <string.h>

/* The first six are the strategies of the victim selection paper, with chunks of 20 and a token
 * ring. "lifelines" has the parameters of the lifeline paper on 2,048 processors. */
static const struct strategy strategies[] = {
    {"reference", STEAL_VICTIM_ROUND_ROBIN, STEAL_AMOUNT_CHUNK, STEAL_TERMINATION_RING, 0, 0,
     false},
    {"reference-half", STEAL_VICTIM_ROUND_ROBIN, STEAL_AMOUNT_HALF, STEAL_TERMINATION_RING, 0, 0,
     false},
    {"rand", STEAL_VICTIM_UNIFORM, STEAL_AMOUNT_CHUNK, STEAL_TERMINATION_RING, 0, 0, false},
    {"rand-half", STEAL_VICTIM_UNIFORM, STEAL_AMOUNT_HALF, STEAL_TERMINATION_RING, 0, 0, false},
    {"tofu", STEAL_VICTIM_SKEWED, STEAL_AMOUNT_CHUNK, STEAL_TERMINATION_RING, 0, 0, false},
    {"tofu-half", STEAL_VICTIM_SKEWED, STEAL_AMOUNT_HALF, STEAL_TERMINATION_RING, 0, 0, false},
    {"lifelines", STEAL_VICTIM_UNIFORM, STEAL_AMOUNT_HALF, STEAL_TERMINATION_FINISH, 10, 10, true},
    {"default", STEAL_VICTIM_UNIFORM, STEAL_AMOUNT_HALF, STEAL_TERMINATION_TREE, 0, 0, false},
    {0},
};

const struct strategy *strategy_find(const char *name)
{
    for (const struct strategy *strategy = strategies; strategy->name; strategy++)
        if (strcmp(strategy->name, name) == 0)
            return strategy;
    return NULL;
}
