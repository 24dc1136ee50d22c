/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/scf/fock.h"

#include "tools/scf/integrals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Factors of an integral in canonical order, which stands for all orders of its indices. The
 * transpose is added to the matrix in the end, and weights count the orders of i, j and of k, l. */
static const double COULOMB_SHARE = 0.25;
static const double EXCHANGE_SHARE = -0.0625;

/* ---- building ------------------------------------------------------------------------------ */

static double **pair_rows(const struct pairs *pairs, double *at)
{
    const int count = tile_pair_index(pairs->tiles_count, 0);
    double **row = malloc((size_t)count * sizeof(*row));

    for (int p = 0; row && p < count; p++) {
        row[p] = at;
        at += pairs->tile_pair[p].count;
    }
    return row;
}

static int accumulator_create(const struct fock *fock, struct accumulator *worker)
{
    const size_t squared = (size_t)fock->pairs->tile * (size_t)fock->pairs->tile;

    worker->exchange = malloc(fock->tiles_length * sizeof(double));
    worker->coulombs = malloc(fock->pairs_length * sizeof(double));
    worker->value = malloc(squared * sizeof(double));
    worker->coulomb = pair_rows(fock->pairs, worker->coulombs);
    return worker->exchange && worker->coulombs && worker->value && worker->coulomb ? 0 : -ENOMEM;
}

int fock_create(const struct pairs *pairs, const struct boys *boys, int workers_count,
                struct fock *fock)
{
    const size_t side = (size_t)pairs->tiles_count * (size_t)pairs->tile;
    struct fock new = {
        .pairs = pairs, .boys = boys, .workers_count = workers_count, .tiles_length = side * side};
    int error = 0;

    for (int p = 0; p < tile_pair_index(pairs->tiles_count, 0); p++)
        new.pairs_length += (size_t)pairs->tile_pair[p].count;
    new.density.tile = calloc(new.tiles_length, sizeof(double));
    new.density.pairs = calloc(new.pairs_length, sizeof(double));
    new.density.pair = pair_rows(pairs, new.density.pairs);
    new.worker = calloc((size_t)workers_count, sizeof(*new.worker));
    if (!new.density.tile || !new.density.pairs || !new.density.pair || !new.worker)
        error = -ENOMEM;
    for (int w = 0; w < workers_count && error == 0; w++)
        error = accumulator_create(&new, &new.worker[w]);
    if (!error)
        *fock = new;
    else
        fock_destroy(&new);
    return error;
}

void fock_destroy(struct fock *fock)
{
    for (int w = 0; fock->worker && w < fock->workers_count; w++) {
        free(fock->worker[w].exchange);
        free(fock->worker[w].coulombs);
        free(fock->worker[w].coulomb);
        free(fock->worker[w].value);
    }
    free(fock->worker);
    free(fock->density.tile);
    free(fock->density.pairs);
    free(fock->density.pair);
}

static size_t tile_offset(const struct pairs *pairs, int row, int column)
{
    return ((size_t)row * (size_t)pairs->tiles_count + (size_t)column) * (size_t)pairs->tile *
           (size_t)pairs->tile;
}

void fock_begin(struct fock *fock, const double *density)
{
    const struct pairs *pairs = fock->pairs;
    const int n = pairs->chain->functions_count, tile = pairs->tile;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            fock->density.tile[tile_offset(pairs, i / tile, j / tile) +
                               (size_t)(i % tile * tile + j % tile)] = density[i * n + j];
    for (int i = 0; i < pairs->tiles_count; i++)
        for (int j = 0; j <= i; j++) {
            const struct tile_pair *pair = pairs_of(pairs, i, j);
            double *row = fock->density.pair[tile_pair_index(i, j)];

            for (int p = 0; p < pair->count; p++)
                row[p] = density[(i * tile + pair->i[p]) * n + j * tile + pair->j[p]];
        }
    for (int w = 0; w < fock->workers_count; w++) {
        memset(fock->worker[w].exchange, 0, fock->tiles_length * sizeof(double));
        memset(fock->worker[w].coulombs, 0, fock->pairs_length * sizeof(double));
    }
}

/* The tiles of density and exchange that combine an index of the bra with one of the ket. */
struct meeting {
    const struct tile_pair *bra, *ket;
    const double *density_ik, *density_il, *density_jk, *density_jl;
    double *ik, *il, *jk, *jl;
    int tile;
};

/* Adds the exchange of `count` integrals, each to four elements, whose rows may coincide. */
static void exchange_row(const struct meeting *meeting, int a, const double *value, int first,
                         int count)
{
    const size_t i = (size_t)meeting->bra->i[a] * (size_t)meeting->tile;
    const size_t j = (size_t)meeting->bra->j[a] * (size_t)meeting->tile;
    const double *density_ik = meeting->density_ik + i, *density_il = meeting->density_il + i;
    const double *density_jk = meeting->density_jk + j, *density_jl = meeting->density_jl + j;
    double *ik = meeting->ik + i, *il = meeting->il + i;
    double *jk = meeting->jk + j, *jl = meeting->jl + j;
    const uint8_t *ks = meeting->ket->i + first, *ls = meeting->ket->j + first;

    for (int b = 0; b < count; b++) {
        const int k = ks[b], l = ls[b];
        const double v = value[b];

        ik[k] += v * density_jl[l];
        jl[l] += v * density_ik[k];
        il[l] += v * density_jk[k];
        jk[k] += v * density_il[l];
    }
}

/* Computes pair `a` of the bra with `count` pairs of the ket from `first` on. `orders` is 2 if bra
 * and ket can be exchanged, else 1. */
static void row_execute(struct fock *fock, struct accumulator *worker,
                        const struct meeting *meeting, int a, int first, int count, double orders)
{
    const struct tile_pair *bra = meeting->bra, *ket = meeting->ket;
    const ptrdiff_t bra_index = bra - fock->pairs->tile_pair;
    const ptrdiff_t ket_index = ket - fock->pairs->tile_pair;
    const struct bra row = {
        .exponent = bra->exponent[a],
        .x = bra->x[a],
        .y = bra->y[a],
        .z = bra->z[a],
        .weight = orders * bra->weight[a],
        .density = fock->density.pair[bra_index][a],
    };
    const struct tile_pair part = {
        .exponent = ket->exponent + first,
        .x = ket->x + first,
        .y = ket->y + first,
        .z = ket->z + first,
        .weight = ket->weight + first,
    };

    worker->coulomb[bra_index][a] += integrals_row(
        fock->boys, &row, &part, count, fock->density.pair[ket_index] + first,
        worker->coulomb[ket_index] + first, worker->value);
    exchange_row(meeting, a, worker->value, first, count);
}

bool fock_execute(struct fock *fock, int worker_index, const struct quadruple *quadruple)
{
    const struct pairs *pairs = fock->pairs;
    struct accumulator *worker = &fock->worker[worker_index];
    const int i = quadruple->i, j = quadruple->j, k = quadruple->k, l = quadruple->l;

    if (!quadruple_canonical(quadruple) || !quadruple_survives(pairs, quadruple))
        return false;
    const struct meeting meeting = {
        .bra = pairs_of(pairs, i, j),
        .ket = pairs_of(pairs, k, l),
        .density_ik = fock->density.tile + tile_offset(pairs, i, k),
        .density_il = fock->density.tile + tile_offset(pairs, i, l),
        .density_jk = fock->density.tile + tile_offset(pairs, j, k),
        .density_jl = fock->density.tile + tile_offset(pairs, j, l),
        .ik = worker->exchange + tile_offset(pairs, i, k),
        .il = worker->exchange + tile_offset(pairs, i, l),
        .jk = worker->exchange + tile_offset(pairs, j, k),
        .jl = worker->exchange + tile_offset(pairs, j, l),
        .tile = pairs->tile,
    };
    int length = meeting.ket->count;

    for (int a = 0; a < meeting.bra->count; a++) {
        length = pairs_matter(pairs, meeting.ket, meeting.bra->bound[a], length);
        if (length == 0)
            break;
        if (meeting.bra != meeting.ket) {
            row_execute(fock, worker, &meeting, a, 0, length, 2);
            continue;
        }
        row_execute(fock, worker, &meeting, a, 0, (int)min_i64(length, a), 2);
        if (a < length)
            row_execute(fock, worker, &meeting, a, a, 1, 1);
    }
    return true;
}

static void coulomb_add(const struct fock *fock, const struct accumulator *worker, double *sum)
{
    const struct pairs *pairs = fock->pairs;
    const int n = pairs->chain->functions_count, tile = pairs->tile;

    for (int i = 0; i < pairs->tiles_count; i++)
        for (int j = 0; j <= i; j++) {
            const struct tile_pair *pair = pairs_of(pairs, i, j);
            const double *coulomb = worker->coulomb[tile_pair_index(i, j)];

            for (int p = 0; p < pair->count; p++)
                sum[(i * tile + pair->i[p]) * n + j * tile + pair->j[p]] += COULOMB_SHARE *
                                                                            coulomb[p];
        }
}

static void exchange_add(const struct fock *fock, const struct accumulator *worker, double *sum)
{
    const struct pairs *pairs = fock->pairs;
    const int n = pairs->chain->functions_count, tile = pairs->tile;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum[i * n + j] += EXCHANGE_SHARE *
                              worker->exchange[tile_offset(pairs, i / tile, j / tile) +
                                               (size_t)(i % tile * tile + j % tile)];
}

void fock_end(const struct fock *fock, double *two_electron)
{
    const int n = fock->pairs->chain->functions_count;

    memset(two_electron, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int w = 0; w < fock->workers_count; w++) {
        coulomb_add(fock, &fock->worker[w], two_electron);
        exchange_add(fock, &fock->worker[w], two_electron);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            two_electron[i * n + j] = two_electron[j * n + i] = two_electron[i * n + j] +
                                                                two_electron[j * n + i];
}
