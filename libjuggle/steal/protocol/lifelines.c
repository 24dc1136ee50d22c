/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/protocol/lifelines.h"

bool lifelines_suffice(int lifelines, int radix, int ranks)
{
    int64_t reach = 1;

    for (int i = 0; i < lifelines && reach < ranks; i++)
        reach *= radix;
    return reach >= ranks;
}

int lifelines_radix(int lifelines, int ranks)
{
    int radix = 2;

    while (lifelines > 0 && !lifelines_suffice(lifelines, radix, ranks))
        radix++;
    return radix;
}

/* Returns the rank after `self` in one place of the number, or `self` if there is no other. */
static int64_t next_along(int64_t self, int64_t weight, int radix, int ranks)
{
    const int64_t digit = self / weight % radix;
    const bool is_last = digit + 1 == radix || self + weight >= ranks;

    return is_last ? self - digit * weight : self + weight;
}

void lifelines_init(struct lifelines *lifelines, int count, int radix, int self, int ranks)
{
    int64_t weight = 1;

    *lifelines = (struct lifelines){0};
    count = (int)min_i64(count, LIFELINES_MAX);
    for (int place = 0; place < count && weight < ranks; place++, weight *= radix) {
        int64_t other = next_along(self, weight, radix, ranks);

        if (other != self)
            lifelines->to[lifelines->count++] = (int)other;
    }
}

void lifelines_begin(struct lifelines *lifelines)
{
    lifelines->asked = 0;
    lifelines->waiting_count = 0;
}

int lifelines_ask(struct lifelines *lifelines)
{
    while (lifelines->next < lifelines->count) {
        int edge = lifelines->next++;

        if (lifelines->asked & (UINT32_C(1) << edge))
            continue;
        lifelines->asked |= UINT32_C(1) << edge;
        return lifelines->to[edge];
    }
    return -1;
}

void lifelines_answered(struct lifelines *lifelines, int from)
{
    for (int edge = 0; edge < lifelines->count; edge++)
        if (lifelines->to[edge] == from)
            lifelines->asked &= ~(UINT32_C(1) << edge);
}

void lifelines_remember(struct lifelines *lifelines, int thief, struct fault *fault)
{
    if (!HOLDS(fault, lifelines->waiting_count < LIFELINES_MAX))
        return;
    lifelines->waiting[lifelines->waiting_count++] = thief;
}

void lifelines_forget(struct lifelines *lifelines, int thief)
{
    int kept = 0;

    for (int i = 0; i < lifelines->waiting_count; i++)
        if (lifelines->waiting[i] != thief)
            lifelines->waiting[kept++] = lifelines->waiting[i];
    lifelines->waiting_count = kept;
}
