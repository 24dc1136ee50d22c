/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/scf/quadruples.h"

int64_t quadruples_count(const struct pairs *pairs)
{
    const int64_t squared = (int64_t)pairs->tiles_count * pairs->tiles_count;

    return squared * squared;
}

struct quadruple quadruple_at(const struct pairs *pairs, int64_t number)
{
    const int tiles = pairs->tiles_count;
    struct quadruple quadruple;

    quadruple.l = (int)(number % tiles);
    number /= tiles;
    quadruple.k = (int)(number % tiles);
    number /= tiles;
    quadruple.j = (int)(number % tiles);
    quadruple.i = (int)(number / tiles);
    return quadruple;
}

bool quadruple_canonical(const struct quadruple *quadruple)
{
    return quadruple->i >= quadruple->j && quadruple->k >= quadruple->l &&
           tile_pair_index(quadruple->i, quadruple->j) >=
               tile_pair_index(quadruple->k, quadruple->l);
}

bool quadruple_survives(const struct pairs *pairs, const struct quadruple *quadruple)
{
    return tile_pair_bound(pairs_of(pairs, quadruple->i, quadruple->j)) *
               tile_pair_bound(pairs_of(pairs, quadruple->k, quadruple->l)) >=
           pairs->cutoff;
}

int64_t quadruple_integrals(const struct pairs *pairs, const struct quadruple *quadruple)
{
    const struct tile_pair *bra = pairs_of(pairs, quadruple->i, quadruple->j);
    const struct tile_pair *ket = pairs_of(pairs, quadruple->k, quadruple->l);
    int length = ket->count;
    int64_t count = 0;

    for (int a = 0; a < bra->count && length > 0; a++) {
        length = pairs_matter(pairs, ket, bra->bound[a], length);
        count += bra == ket ? min_i64(length, a + 1) : length;
    }
    return count;
}
