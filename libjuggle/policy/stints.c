/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/policy/stints.h"

static struct stint *stint_on(struct stints *stints, int processor)
{
    for (int i = 0; i < stints->count; i++)
        if (stints->items[i].processor == processor)
            return &stints->items[i];
    if (stints->count == STINTS_MAX)
        return NULL;
    stints->items[stints->count] = (struct stint){.processor = processor};
    return &stints->items[stints->count++];
}

void stints_add(struct stints *stints, int processor, double run_ns, double beside)
{
    if (run_ns <= 0)
        return;
    struct stint *stint = stint_on(stints, processor);
    if (!stint) {
        stints->overflown = true;
        return;
    }
    stint->alone_ns += run_ns * (1 - beside);
    stint->beside_ns += run_ns * beside;
}

void stints_clear(struct stints *stints)
{
    stints->count = 0;
    stints->overflown = false;
}

double stints_run_ns(const struct stints *stints)
{
    double run_ns = 0;

    for (int i = 0; i < stints->count; i++)
        run_ns += stints->items[i].alone_ns + stints->items[i].beside_ns;
    return run_ns;
}
