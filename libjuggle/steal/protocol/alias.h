/* SPDX-License-Identifier: BSD-3-Clause */
/* A table from which indices are drawn with given weights in constant time (Walker, Vose). */
#ifndef JUGGLE_STEAL_PROTOCOL_ALIAS_H
#define JUGGLE_STEAL_PROTOCOL_ALIAS_H

#include "libjuggle/ground/prng.h"

struct alias {
    double share; /* probability that a draw of this index returns it, and not `other`; before
                     alias_build(): its weight */
    int32_t other;
};

/* Builds the table. Weights must be positive and finite. */
void alias_build(struct alias *table, int count);

int alias_draw(const struct alias *table, int count, struct prng *prng);

#endif
