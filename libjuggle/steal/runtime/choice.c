/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of the values of all choices. */
#include "libjuggle/ground/units.h"
#include "libjuggle/steal_choices.h"

#include <errno.h>
#include <string.h>

enum { NAMES_MAX = 8 };

static const char *const names[][NAMES_MAX] = {
    [STEAL_CHOICE_VICTIM] =
        {
            [STEAL_VICTIM_UNIFORM] = "uniform",
            [STEAL_VICTIM_ROUND_ROBIN] = "round-robin",
            [STEAL_VICTIM_SKEWED] = "skewed",
            [STEAL_VICTIM_NEAREST] = "nearest",
        },
    [STEAL_CHOICE_AMOUNT] =
        {
            [STEAL_AMOUNT_HALF] = "half",
            [STEAL_AMOUNT_CHUNK] = "chunk",
            [STEAL_AMOUNT_K] = "k",
        },
    [STEAL_CHOICE_TERMINATION] =
        {
            [STEAL_TERMINATION_TREE] = "tree",
            [STEAL_TERMINATION_RING] = "ring",
            [STEAL_TERMINATION_FINISH] = "finish",
        },
    [STEAL_CHOICE_MODE] =
        {
            [STEAL_MODE_POLLING] = "polling",
            [STEAL_MODE_THREADS] = "threads",
        },
    [STEAL_CHOICE_RETENTION] =
        {
            [STEAL_RETENTION_NONE] = "none",
            [STEAL_RETENTION_SEEDED] = "seeded",
            [STEAL_RETENTION_ALL] = "all",
        },
    [STEAL_CHOICE_ORDER] =
        {
            [STEAL_ORDER_EXECUTED] = "executed",
            [STEAL_ORDER_LONGEST] = "longest",
        },
    [STEAL_CHOICE_PREDICTION] =
        {
            [STEAL_PREDICTION_LAST] = "last",
            [STEAL_PREDICTION_MEAN] = "mean",
            [STEAL_PREDICTION_WEIGHTED] = "weighted",
        },
    [STEAL_CHOICE_BALANCER] =
        {
            [STEAL_BALANCER_HIERARCHICAL] = "hierarchical",
            [STEAL_BALANCER_CENTRAL] = "central",
        },
    [STEAL_CHOICE_BOUND] =
        {
            [STEAL_BOUND_NONE] = "none",
            [STEAL_BOUND_MIN] = "min",
            [STEAL_BOUND_MAX] = "max",
            [STEAL_BOUND_MIN_DOUBLE] = "min-double",
            [STEAL_BOUND_MAX_DOUBLE] = "max-double",
        },
    [STEAL_CHOICE_RESULTS] =
        {
            [STEAL_RESULTS_ARRIVED] = "arrived",
            [STEAL_RESULTS_BY_ID] = "by-id",
        },
    [STEAL_CHOICE_DONATION] =
        {
            [STEAL_DONATION_SHORTEST] = "shortest",
            [STEAL_DONATION_LONGEST] = "longest",
        },
};

const char *steal_choice_name(enum steal_choice choice, int value)
{
    const size_t which = choice, index = (size_t)value;

    return which < ARRAY_COUNT(names) && index < NAMES_MAX ? names[which][index] : NULL;
}

int steal_choice_parse(enum steal_choice choice, const char *name, int *value)
{
    const char *found;

    if (!name || !value)
        return -EINVAL;
    for (int i = 0; (found = steal_choice_name(choice, i)); i++) {
        if (strcmp(found, name) == 0) {
            *value = i;
            return 0;
        }
    }
    return -EINVAL;
}
