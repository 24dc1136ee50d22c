/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/tce/contraction.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const int outer_blocks[TCE_SPACES] = {240, 180, 100, 210};
static const int inner_blocks[TCE_SPACES] = {20, 24, 20, 20};

static void axis_make(const int blocks[TCE_SPACES], double scale, struct axis *axis)
{
    *axis = (struct axis){0};
    for (int label = 0; label < TCE_SPACES; label++) {
        int left = (int)max_i64(llround(blocks[label] * scale), 1);

        while (left > 0) {
            const int length = (int)min_i64(left, TCE_TILE);

            axis->tile[axis->tiles_count++] = (struct tile){axis->length, length, label};
            axis->length += length;
            left -= length;
        }
    }
}

static struct quadruple quadruple_of(const struct contraction *contraction, int32_t number)
{
    const int tiles = contraction->outer.tiles_count;
    const struct tile *tile = contraction->outer.tile;

    return (struct quadruple){
        .i = &tile[number / (tiles * tiles * tiles)],
        .j = &tile[number / (tiles * tiles) % tiles],
        .k = &tile[number / tiles % tiles],
        .l = &tile[number % tiles],
    };
}

int contraction_create(double scale, struct contraction *contraction)
{
    struct contraction new = {0};

    axis_make(outer_blocks, scale, &new.outer);
    axis_make(inner_blocks, 1, &new.inner);
    const int tiles = new.outer.tiles_count;
    const int32_t quadruples = tiles * tiles * tiles * tiles;
    new.task = malloc((size_t)quadruples * sizeof(*new.task));
    if (!new.task)
        return -ENOMEM;
    for (int32_t number = 0; number < quadruples; number++) {
        const struct quadruple at = quadruple_of(&new, number);

        if (pair_label(at.i, at.j) == pair_label(at.k, at.l))
            new.task[new.tasks_count++] = number;
    }
    *contraction = new;
    return 0;
}

void contraction_destroy(struct contraction *contraction)
{
    free(contraction->task);
}

struct quadruple contraction_tiles(const struct contraction *contraction, int64_t task)
{
    return quadruple_of(contraction, contraction->task[task]);
}

int64_t contraction_cost(const struct contraction *contraction, int64_t task)
{
    const struct quadruple at = contraction_tiles(contraction, task);
    const struct axis *inner = &contraction->inner;
    int64_t area = 0;

    for (int a = 0; a < inner->tiles_count; a++)
        for (int b = 0; b < inner->tiles_count; b++)
            if (pair_label(&inner->tile[a], &inner->tile[b]) == pair_label(at.i, at.j))
                area += inner->tile[a].length * inner->tile[b].length;
    return 2 * area * at.i->length * at.j->length * at.k->length * at.l->length;
}
