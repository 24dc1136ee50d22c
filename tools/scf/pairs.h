/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of basis functions by tiles: the data of an integral (ij|kl) that depend on i and j only,
 * in columns for vector code. A tile pair holds its pairs by falling Schwarz bound. So the pairs
 * that matter together with a given pair are a prefix. Pairs that never matter are left out. */
#ifndef JUGGLE_SCF_PAIRS_H
#define JUGGLE_SCF_PAIRS_H

#include "tools/scf/boys.h"
#include "tools/scf/chain.h"

/* The index of a function in its tile is a byte. More tiles would have more quadruples than a
 * memory has bits. */
enum { TILE_MAX = 128, TILES_MAX = 2048 };

struct tile_pair {
    int count;
    /* Columns of `count` elements. */
    double *exponent;
    double *x, *y, *z;
    double *weight; /* prefactors, doubled if i and j differ */
    double *bound;  /* sqrt((ij|ij)): |(ij|kl)| <= bound * bound */
    uint8_t *i, *j; /* within their tiles */
};

struct pairs {
    const struct chain *chain;
    int tile;                    /* functions per tile */
    int tiles_count;             /* of the basis; the last may be shorter */
    double cutoff;               /* integrals with a smaller product of bounds are neglected */
    struct tile_pair *tile_pair; /* [I][J] with J <= I, row by row */
    double *column;
    uint8_t *index;
};

/* Returns 0 or -ENOMEM. The chain must outlive the pairs. */
int pairs_create(const struct chain *chain, int tile, double cutoff,
                 struct pairs *pairs) MUST_CHECK;
void pairs_destroy(struct pairs *pairs);

static inline int tile_pair_index(int i, int j)
{
    return i * (i + 1) / 2 + j;
}

/* Returns the greatest bound of a tile pair, 0 if it is empty. */
static inline double tile_pair_bound(const struct tile_pair *pair)
{
    return pair->count > 0 ? pair->bound[0] : 0;
}

/* Returns the tile pair of two tiles, in any order. */
const struct tile_pair *pairs_of(const struct pairs *pairs, int i, int j);

/* Returns how many pairs of `ket` matter together with a pair with this bound: the length of a
 * prefix, at most `before`. */
int pairs_matter(const struct pairs *pairs, const struct tile_pair *ket, double bound, int before);

#endif
