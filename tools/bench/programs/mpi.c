/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of kernels.h under MPI: heat exchanges its borders with its neighbors, band sums up
 * scalar products, and the results of bodies are gathered from all ranks after each step. */
#include "tools/bench/programs/arguments.h"
#include "tools/bench/programs/kernels.h"

#include <mpi.h>

struct ring {
    int rank, count;
    int *counts, *offsets;
};

static void trade_borders(double *values, struct share share, const struct ring *ring)
{
    const int left = ring->rank > 0 ? ring->rank - 1 : MPI_PROC_NULL;
    const int right = ring->rank < ring->count - 1 ? ring->rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[4];
    MPI_Status statuses[4];

    MPI_Irecv(&values[share.from - (share.from > 0)], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Irecv(&values[right == MPI_PROC_NULL ? share.to - 1 : share.to], 1, MPI_DOUBLE, right, 0,
              MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&values[share.from], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&values[share.to - 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, statuses);
}

static double step(const struct arguments *arguments, const double *now, double *next,
                   struct share share, const struct ring *ring)
{
    double product = 0, sum = 0;

    switch (arguments->part) {
    case PART_HEAT:
        heat_step(now, next, arguments->items, share);
        trade_borders(next, share, ring);
        break;
    case PART_BAND:
        product = band_multiply(now, next, arguments->items, share);
        MPI_Allreduce(&product, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        break;
    case PART_BODIES:
        draw_bodies(now, next, arguments->items, share);
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, next, ring->counts, ring->offsets,
                       MPI_DOUBLE, MPI_COMM_WORLD);
        break;
    }
    return sum;
}

static double run(const struct arguments *arguments, double *now, double *next,
                  const struct ring *ring)
{
    const struct share share = share_of(arguments->items, ring->rank, ring->count);
    double sum = 0;

    for (int i = 0; i < arguments->steps; i++) {
        sum += step(arguments, now, next, share, ring);
        if (arguments->part == PART_HEAT) {
            double *last = now;
            now = next;
            next = last;
        }
    }
    return sum + next[(share.from + share.to) / 2];
}

int main(int argc, char **argv)
{
    struct ring ring;

    MPI_Init(&argc, &argv);
    const struct arguments arguments = arguments_read(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ring.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ring.count);
    double *now = calloc((size_t)arguments.items, sizeof(*now));
    double *next = calloc((size_t)arguments.items, sizeof(*next));
    ring.counts = calloc((size_t)ring.count, sizeof(*ring.counts));
    ring.offsets = calloc((size_t)ring.count, sizeof(*ring.offsets));
    if (!now || !next || !ring.counts || !ring.offsets)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < ring.count; i++) {
        const struct share share = share_of(arguments.items, i, ring.count);
        ring.offsets[i] = share.from;
        ring.counts[i] = share.to - share.from;
    }
    fill(now, arguments.items);
    const double sum = run(&arguments, now, next, &ring);
    if (ring.rank == 0)
        printf("%.9g\n", sum);
    free(now);
    free(next);
    free(ring.counts);
    free(ring.offsets);
    MPI_Finalize();
    return 0;
}
