/* SPDX-License-Identifier: BSD-3-Clause */
/* C[ijkl] += A[ijab] B[abkl], as in coupled cluster methods. The tensors are cut into dense tiles;
 * a tile is zero unless its symmetry labels cancel. A task is a tile of C. */
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
    int32_t *task; /* by task: a quadruple of tiles of `outer`, encoded as one number */
};

/* `scale` in (0, 1] shortens the outer blocks: 1 is the published size. Returns 0 or -ENOMEM. */
int contraction_create(double scale, struct contraction *contraction) MUST_CHECK;
void contraction_destroy(struct contraction *contraction);

/* The tiles of C's four indices that make up a task. */
struct quadruple {
    const struct tile *i, *j, *k, *l;
};

struct quadruple contraction_tiles(const struct contraction *contraction, int64_t task);

/* Returns the combined label of a pair of tiles: 0 if their labels cancel. */
static inline int pair_label(const struct tile *left, const struct tile *right)
{
    return left->label ^ right->label;
}

/* Returns the floating-point operations of a task: its cost as far as it can be predicted. */
int64_t contraction_cost(const struct contraction *contraction, int64_t task);

#endif
