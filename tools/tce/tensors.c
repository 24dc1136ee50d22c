/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/tce/tensors.h"

#include "tools/iterate/blas.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE_AREA = TCE_TILE * TCE_TILE, CHECKSUM_BITS = 20 };

/* ---- elements ------------------------------------------------------------------------------ */

/* Returns a pseudorandom number in [-1, 1), the same on every machine. */
static double scatter(uint32_t row, uint32_t column)
{
    uint32_t hash = row * UINT32_C(0x9e3779b1) ^ column * UINT32_C(0x85ebca6b);

    hash ^= hash >> 15;
    hash *= UINT32_C(0xc2b2ae35);
    hash ^= hash >> 13;
    return (double)(int32_t)hash * 0x1p-31;
}

static uint32_t pair_number(int left, int right)
{
    return (uint32_t)left << 10 | (uint32_t)right;
}

double tensors_a(int i, int j, int a, int b)
{
    return scatter(pair_number(i, j), pair_number(a, b));
}

double tensors_b(int a, int b, int k, int l)
{
    return scatter(~pair_number(a, b), pair_number(k, l));
}

int64_t tensors_weigh(int i, int j, int k, int l, double value)
{
    const double weight = 1 + (double)((i + 2 * j + 3 * k + 5 * l) % 7);

    return llround(ldexp(weight * value, CHECKSUM_BITS));
}

double tensors_checksum(int64_t sum)
{
    return ldexp((double)sum, -CHECKSUM_BITS);
}

/* ---- tiles --------------------------------------------------------------------------------- */

int tensors_room_create(struct tensors_room *room)
{
    const size_t size = (size_t)TILE_AREA * TILE_AREA * sizeof(double);

    *room = (struct tensors_room){malloc(size), malloc(size), malloc(size)};
    return room->a && room->b && room->c ? 0 : -ENOMEM;
}

void tensors_room_destroy(struct tensors_room *room)
{
    free(room->a);
    free(room->b);
    free(room->c);
}

/* Lists the pairs of indices of two tiles, as numbers; returns how many. */
static int pairs_list(const struct tile *left, const struct tile *right, uint32_t *pair)
{
    int count = 0;

    for (int p = 0; p < left->length; p++)
        for (int q = 0; q < right->length; q++)
            pair[count++] = pair_number(left->first + p, right->first + q);
    return count;
}

/* Fills a tile with elements. `turn` is XORed to the number of a row: 0 for A, all ones for B. */
static void tile_fill(const uint32_t *row, int rows, uint32_t turn, const uint32_t *column,
                      int columns, double *restrict value)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            value[r * columns + c] = scatter(row[r] ^ turn, column[c]);
}

static void tile_multiply(int rows, int columns, int inner, const struct tensors_room *room)
{
    const double one = 1;

    /* BLAS stores matrices by columns, so it computes the transpose: C' += B' A'. */
    dgemm_("N", "N", &columns, &rows, &inner, &one, room->b, &columns, room->a, &inner, &one,
           room->c, &columns);
}

static int64_t tile_checksum(const struct quadruple *at, const double *value)
{
    int64_t sum = 0;

    for (int i = 0; i < at->i->length; i++)
        for (int j = 0; j < at->j->length; j++)
            for (int k = 0; k < at->k->length; k++)
                for (int l = 0; l < at->l->length; l++)
                    sum += tensors_weigh(at->i->first + i, at->j->first + j, at->k->first + k,
                                         at->l->first + l, *value++);
    return sum;
}

int64_t tensors_execute(const struct contraction *contraction, int64_t task,
                        const struct tensors_room *room)
{
    const struct quadruple at = contraction_tiles(contraction, task);
    const struct axis *inner = &contraction->inner;
    uint32_t row[TILE_AREA], column[TILE_AREA], between[TILE_AREA];
    const int rows = pairs_list(at.i, at.j, row), columns = pairs_list(at.k, at.l, column);

    memset(room->c, 0, (size_t)rows * (size_t)columns * sizeof(double));
    for (const struct tile *a = inner->tile; a < inner->tile + inner->tiles_count; a++)
        for (const struct tile *b = inner->tile; b < inner->tile + inner->tiles_count; b++) {
            if (pair_label(a, b) != pair_label(at.i, at.j))
                continue;
            const int count = pairs_list(a, b, between);

            tile_fill(row, rows, 0, between, count, room->a);
            tile_fill(between, count, UINT32_MAX, column, columns, room->b);
            tile_multiply(rows, columns, count, room);
        }
    return tile_checksum(&at, room->c);
}
