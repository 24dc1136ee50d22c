/* SPDX-License-Identifier: BSD-3-Clause */
/* In a long chain most tile pairs are negligible with every other one; they are left out first. */
#include "tools/scf/survey.h"

#include "cli/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* INTEGRAL_PS is the time of an integral on the developer's machine. Exported durations are
 * estimates with this value. */
enum { INTEGRAL_PS = 9500, PS_PER_NS = 1000, BAR_PARTS = 1000 };

struct side {
    int i, j;
    double bound;
};

static int orders_of(const struct side *bra, const struct side *ket)
{
    return (bra->i == bra->j ? 1 : 2) * (ket->i == ket->j ? 1 : 2) * (bra == ket ? 1 : 2);
}

/* Fills in the tile pairs that are not negligible with every other one, row by row; returns how
 * many. */
static int64_t sides_collect(const struct pairs *pairs, struct side *side)
{
    double greatest = 0;
    int64_t count = 0;

    for (int p = 0; p < tile_pair_index(pairs->tiles_count, 0); p++)
        greatest = fmax(greatest, tile_pair_bound(&pairs->tile_pair[p]));
    for (int i = 0; i < pairs->tiles_count; i++)
        for (int j = 0; j <= i; j++) {
            const double bound = tile_pair_bound(pairs_of(pairs, i, j));

            if (bound * greatest >= pairs->cutoff)
                side[count++] = (struct side){i, j, bound};
        }
    return count;
}

static void count_one(const struct pairs *pairs, FILE *durations, const struct side *bra,
                      const struct side *ket, struct survey *survey)
{
    const struct quadruple quadruple = {bra->i, bra->j, ket->i, ket->j};
    const int64_t integrals = quadruple_integrals(pairs, &quadruple);

    survey->surviving += orders_of(bra, ket);
    survey->executed++;
    survey->integrals += integrals;
    survey->longest = max_i64(survey->longest, integrals);
    if (durations)
        fprintf(durations, "%" PRId64 "\n", max_i64(integrals * INTEGRAL_PS / PS_PER_NS, 1));
}

int survey_make(const struct pairs *pairs, bool progress, FILE *durations, struct survey *out)
{
    struct side *side = calloc((size_t)tile_pair_index(pairs->tiles_count, 0), sizeof(*side));
    struct survey survey = {0};
    struct progress_bar bar;

    if (!side)
        return -ENOMEM;
    const int64_t count = sides_collect(pairs, side);

    progress_bar_begin(&bar, progress ? BAR_PARTS : 0);
    for (int64_t bra = 0; bra < count; bra++) {
        for (int64_t ket = 0; ket <= bra; ket++)
            if (side[bra].bound * side[ket].bound >= pairs->cutoff)
                count_one(pairs, durations, &side[bra], &side[ket], &survey);
        progress_bar_update(&bar, (int64_t)(pow((double)(bra + 1) / (double)count, 2) * BAR_PARTS));
    }
    progress_bar_end(&bar);
    free(side);
    *out = survey;
    return 0;
}
