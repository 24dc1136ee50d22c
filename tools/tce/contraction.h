/* SPDX-License-Identifier: BSD-3-Clause */
/* C[ijkl] += A[ijab] B[abkl], as coupled cluster methods have many: tensors cut into dense tiles,
 * of which only those are not zero whose symmetry labels cancel. A task is a tile of C. */
#ifndef JUGGLE_TCE_CONTRACTION_H
#define JUGGLE_TCE_CONTRACTION_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum { TCE_TILE = 20, TCE_SPACES = 4, TCE_TILES_MAX = 64 };

/* One dimension of a tensor: its tiles, each within one spatial block. */
struct axis {
    int tiles_count;
    int length;
    struct tile {
        int first, length;
        int label; /* of its spatial block: 0 to 3, which cancel by exclusive or */
    } tile[TCE_TILES_MAX];
};

struct contraction {
    struct axis outer; /* i, j, k and l */
    struct axis inner; /* a and b */
    int64_t tasks_count;
    int32_t *task; /* each a quadruple of tiles of `outer`, as one number */
};

/* `scale` shortens the outer blocks, in (0, 1]: 1 is the published size. -ENOMEM. */
int contraction_create(double scale, struct contraction *contraction) MUST_CHECK;
void contraction_destroy(struct contraction *contraction);

/* The tiles of C's indices that a task is about. */
struct quadruple {
    const struct tile *i, *j, *k, *l;
};

struct quadruple contraction_tiles(const struct contraction *contraction, int64_t task);

/* What the labels of a pair of tiles cancel to. */
static inline int pair_label(const struct tile *left, const struct tile *right)
{
    return left->label ^ right->label;
}

/* Floating-point operations of a task: its cost as far as that is known beforehand. */
int64_t contraction_cost(const struct contraction *contraction, int64_t task);

#endif
