/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of kernels.h under OpenMP, as most programs use it: a parallel region for each step. */
#include "tools/bench/programs/arguments.h"
#include "tools/bench/programs/kernels.h"

#include <omp.h>

static double step(const struct arguments *arguments, const double *now, double *next)
{
    double product = 0;

#pragma omp parallel reduction(+ : product)
    {
        const struct share share = share_of(arguments->items, omp_get_thread_num(),
                                            omp_get_num_threads());
        switch (arguments->part) {
        case PART_HEAT:
            heat_step(now, next, arguments->items, share);
            break;
        case PART_BAND:
            product += band_multiply(now, next, arguments->items, share);
            break;
        case PART_BODIES:
            draw_bodies(now, next, arguments->items, share);
            break;
        }
    }
    return product;
}

int main(int argc, char **argv)
{
    const struct arguments arguments = arguments_read(argc, argv);
    double *now = calloc((size_t)arguments.items, sizeof(*now));
    double *next = calloc((size_t)arguments.items, sizeof(*next));
    double sum = 0;

    if (!now || !next) {
        free(now);
        free(next);
        return 1;
    }
    fill(now, arguments.items);
    for (int i = 0; i < arguments.steps; i++) {
        sum += step(&arguments, now, next);
        if (arguments.part == PART_HEAT) {
            double *last = now;
            now = next;
            next = last;
        }
    }
    printf("%.9g %.9g\n", sum, next[arguments.items / 2]);
    free(now);
    free(next);
    return 0;
}
