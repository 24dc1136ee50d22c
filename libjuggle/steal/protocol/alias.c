/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/protocol/alias.h"

enum { NONE = -1 };

/* The indices with less than an average share, and those with more: two lists, linked by `other` of
 * entries that are not finished. */
struct lists {
    int32_t small, large;
};

static void lists_add(struct lists *lists, struct alias *table, int32_t index)
{
    int32_t *list = table[index].share < 1 ? &lists->small : &lists->large;

    table[index].other = *list;
    *list = index;
}

void alias_build(struct alias *table, int count)
{
    struct lists lists = {NONE, NONE};
    double sum = 0;

    for (int i = 0; i < count; i++)
        sum += table[i].share;
    for (int i = 0; i < count; i++) {
        table[i].share *= count / sum;
        lists_add(&lists, table, i);
    }
    while (lists.small != NONE && lists.large != NONE) {
        int32_t small = lists.small, large = lists.large;

        lists.small = table[small].other;
        lists.large = table[large].other;
        table[small].other = large;
        table[large].share -= 1 - table[small].share;
        lists_add(&lists, table, large);
    }
    /* The remaining shares differ from 1 only by rounding. */
    for (int32_t list = lists.small != NONE ? lists.small : lists.large; list != NONE;) {
        int32_t next = table[list].other;

        table[list] = (struct alias){1, list};
        list = next;
    }
}

int alias_draw(const struct alias *table, int count, struct prng *prng)
{
    int index = (int)prng_below(prng, (uint64_t)count);

    return prng_unit(prng) < table[index].share ? index : table[index].other;
}
