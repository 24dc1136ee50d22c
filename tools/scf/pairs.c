/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/scf/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6 };

/* Every integral over four Gaussians has the factor 2 pi^(5/2); each of its two pairs contains the
 * root of it. */
static const double ROOT_PREFACTOR = 5.914967172795613; /* sqrt(2 pi^(5/2)) */

struct pair {
    double exponent, x, y, z, weight, bound;
    uint8_t i, j;
};

/* Makes a pair. Its bound, by (ij|ij), needs no Boys function: both charges have the same center,
 * and F0(0) = 1. */
static struct pair pair_of(const struct gaussian *a, const struct gaussian *b)
{
    const double sum = a->exponent + b->exponent;
    const double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
    const double damping = a->exponent * b->exponent / sum * (dx * dx + dy * dy + dz * dz);
    struct pair pair = {
        .exponent = sum,
        .x = (a->exponent * a->x + b->exponent * b->x) / sum,
        .y = (a->exponent * a->y + b->exponent * b->y) / sum,
        .z = (a->exponent * a->z + b->exponent * b->z) / sum,
        .weight = ROOT_PREFACTOR * exp(-damping) * a->norm * b->norm / sum,
    };

    pair.bound = pair.weight / sqrt(sqrt(2 * sum));
    return pair;
}

static int pair_compare(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;

    if (a->bound != b->bound)
        return a->bound > b->bound ? -1 : 1;
    return a->i != b->i ? a->i - b->i : a->j - b->j;
}

static int tile_size(const struct pairs *pairs, int tile)
{
    return (int)min_i64(pairs->tile, pairs->chain->functions_count - tile * pairs->tile);
}

static double greatest_bound(const struct chain *chain)
{
    double greatest = 0;

    for (int i = 0; i < chain->functions_count; i++)
        for (int j = 0; j <= i; j++)
            greatest = fmax(greatest, pair_of(&chain->function[i], &chain->function[j]).bound);
    return greatest;
}

/* Collects the pairs of two tiles with a bound of at least `least`, sorted; returns how many. */
static int collect(const struct pairs *pairs, int row, int column, double least, struct pair *list)
{
    const struct gaussian *function = pairs->chain->function;
    int count = 0;

    for (int i = 0; i < tile_size(pairs, row); i++)
        for (int j = 0; j < (row == column ? i + 1 : tile_size(pairs, column)); j++) {
            struct pair pair = pair_of(&function[row * pairs->tile + i],
                                       &function[column * pairs->tile + j]);

            if (pair.bound < least)
                continue;
            if (row != column || i != j)
                pair.weight *= 2;
            pair.i = (uint8_t)i;
            pair.j = (uint8_t)j;
            list[count++] = pair;
        }
    qsort(list, (size_t)count, sizeof(*list), pair_compare);
    return count;
}

/* Copies the list into the columns of a tile pair, which begin after the `first` pairs of earlier
 * tile pairs. */
static void spread(struct pairs *pairs, struct tile_pair *to, const struct pair *list, int count,
                   size_t total, size_t first)
{
    *to = (struct tile_pair){.count = count};
    double **column[COLUMNS] = {&to->exponent, &to->x, &to->y, &to->z, &to->weight, &to->bound};

    for (size_t c = 0; c < COLUMNS; c++)
        *column[c] = pairs->column + c * total + first;
    to->i = pairs->index + first;
    to->j = pairs->index + total + first;
    for (int p = 0; p < count; p++) {
        to->exponent[p] = list[p].exponent;
        to->x[p] = list[p].x;
        to->y[p] = list[p].y;
        to->z[p] = list[p].z;
        to->weight[p] = list[p].weight;
        to->bound[p] = list[p].bound;
        to->i[p] = list[p].i;
        to->j[p] = list[p].j;
    }
}

static int pairs_fill(struct pairs *pairs, struct pair *list)
{
    const double least = pairs->cutoff / greatest_bound(pairs->chain);
    size_t total = 0, first = 0;

    for (int i = 0; i < pairs->tiles_count; i++)
        for (int j = 0; j <= i; j++)
            total += (size_t)collect(pairs, i, j, least, list);
    pairs->column = calloc(COLUMNS * total, sizeof(*pairs->column));
    pairs->index = calloc(2 * total, sizeof(*pairs->index));
    if (!pairs->column || !pairs->index)
        return -ENOMEM;
    for (int i = 0; i < pairs->tiles_count; i++)
        for (int j = 0; j <= i; j++) {
            const int count = collect(pairs, i, j, least, list);

            spread(pairs, &pairs->tile_pair[tile_pair_index(i, j)], list, count, total, first);
            first += (size_t)count;
        }
    return 0;
}

int pairs_create(const struct chain *chain, int tile, double cutoff, struct pairs *pairs)
{
    struct pairs new = {
        .chain = chain,
        .tile = tile,
        .tiles_count = ceil_div(chain->functions_count, tile),
        .cutoff = cutoff,
    };
    struct pair *list = malloc((size_t)tile * (size_t)tile * sizeof(*list));
    int error = -ENOMEM;

    new.tile_pair = calloc((size_t)tile_pair_index(new.tiles_count, 0), sizeof(*new.tile_pair));
    if (list && new.tile_pair)
        error = pairs_fill(&new, list);
    free(list);
    if (!error)
        *pairs = new;
    else
        pairs_destroy(&new);
    return error;
}

void pairs_destroy(struct pairs *pairs)
{
    free(pairs->tile_pair);
    free(pairs->column);
    free(pairs->index);
}

const struct tile_pair *pairs_of(const struct pairs *pairs, int i, int j)
{
    return &pairs->tile_pair[i >= j ? tile_pair_index(i, j) : tile_pair_index(j, i)];
}

int pairs_matter(const struct pairs *pairs, const struct tile_pair *ket, double bound, int before)
{
    while (before > 0 && ket->bound[before - 1] * bound < pairs->cutoff)
        before--;
    return before;
}
