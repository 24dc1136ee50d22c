/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of basis functions by tiles: what an integral (ij|kl) needs of i and j together, in columns
 * that vectors read. A tile pair holds its pairs by falling Schwarz bound, so that those which
 * matter beside another pair are a prefix; pairs that matter beside none are left out. */
#ifndef JUGGLE_SCF_PAIRS_H
#define JUGGLE_SCF_PAIRS_H

#include "tools/scf/boys.h"
#include "tools/scf/chain.h"

/* A byte numbers the functions of a tile; more tiles have more quadruples than a memory bits. */
enum { TILE_MAX = 128, TILES_MAX = 2048 };

struct tile_pair {
    int count;
    /* `count` of each. */
    double *exponent;
    double *x, *y, *z;
    double *weight; /* prefactors, and twice where i and j differ */
    double *bound;  /* sqrt((ij|ij)): |(ij|kl)| <= bound * bound */
    uint8_t *i, *j; /* within their tiles */
};

struct pairs {
    const struct chain *chain;
    int tile;                    /* functions of one */
    int tiles_count;             /* of the basis; the last may be shorter */
    double cutoff;               /* integrals whose bounds multiply to less are nothing */
    struct tile_pair *tile_pair; /* [I][J] with J <= I, row by row */
    double *column;
    uint8_t *index;
};

/* -ENOMEM. The chain must stay. */
int pairs_create(const struct chain *chain, int tile, double cutoff,
                 struct pairs *pairs) MUST_CHECK;
void pairs_destroy(struct pairs *pairs);

static inline int tile_pair_index(int i, int j)
{
    return i * (i + 1) / 2 + j;
}

/* The greatest bound of a tile pair: 0 where it is empty. */
static inline double tile_pair_bound(const struct tile_pair *pair)
{
    return pair->count > 0 ? pair->bound[0] : 0;
}

/* Of two tiles, in any order. */
const struct tile_pair *pairs_of(const struct pairs *pairs, int i, int j);

/* How many pairs of `ket` matter beside a pair with this bound: a prefix, no longer than
 * `before`. */
int pairs_matter(const struct pairs *pairs, const struct tile_pair *ket, double bound, int before);

#endif
