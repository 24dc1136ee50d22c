/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of the values of all choices. */
#include "libjuggle/ground/units.h"
#include "libjuggle/steal_choices.h"

#include <errno.h>
#include <string.h>

enum { NAMES_MAX = 8 };

/* In the order of the enums of steal_choices.h. */
static const char *const names[][NAMES_MAX] = {
    [STEAL_CHOICE_VICTIM] = {"uniform", "round-robin", "skewed", "nearest"},
    [STEAL_CHOICE_AMOUNT] = {"half", "chunk", "k"},
    [STEAL_CHOICE_TERMINATION] = {"tree", "ring", "finish"},
    [STEAL_CHOICE_MODE] = {"polling", "threads"},
    [STEAL_CHOICE_RETENTION] = {"none", "seeded", "all"},
    [STEAL_CHOICE_ORDER] = {"executed", "longest"},
    [STEAL_CHOICE_PREDICTION] = {"last", "mean", "weighted"},
    [STEAL_CHOICE_BALANCER] = {"hierarchical", "central"},
    [STEAL_CHOICE_DONATION] = {"shortest", "longest"},
    [STEAL_CHOICE_BOUND] = {"none", "min", "max", "min-double", "max-double"},
    [STEAL_CHOICE_RESULTS] = {"arrived", "by-id"},
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
