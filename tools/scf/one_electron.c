/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/scf/one_electron.h"

#include <math.h>

/* The product of two Gaussians, which is a Gaussian between their centers. */
struct product {
    double exponent;
    double reduced; /* product of the exponents over their sum */
    double distance2;
    double weight; /* overlap damping times both norms */
    double x, y, z;
};

static struct product product_of(const struct gaussian *a, const struct gaussian *b)
{
    const double sum = a->exponent + b->exponent;
    const double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
    struct product product = {
        .exponent = sum,
        .reduced = a->exponent * b->exponent / sum,
        .distance2 = dx * dx + dy * dy + dz * dz,
        .x = (a->exponent * a->x + b->exponent * b->x) / sum,
        .y = (a->exponent * a->y + b->exponent * b->y) / sum,
        .z = (a->exponent * a->z + b->exponent * b->z) / sum,
    };

    product.weight = exp(-product.reduced * product.distance2) * a->norm * b->norm;
    return product;
}

static double product_overlap(const struct product *product)
{
    return product->weight * pow(M_PI / product->exponent, 1.5);
}

static double product_kinetic(const struct product *product)
{
    return product->reduced * (3 - 2 * product->reduced * product->distance2) *
           product_overlap(product);
}

static double product_attraction(const struct product *product, const struct chain *chain,
                                 const struct boys *boys)
{
    double sum = 0;

    for (int atom = 0; atom < chain->atoms_count; atom++) {
        const double dx = product->x - chain_atom_x(atom);
        const double distance2 = dx * dx + product->y * product->y + product->z * product->z;

        sum -= CHAIN_ELECTRONS_PER_ATOM * boys_f0(boys, product->exponent * distance2);
    }
    return 2 * M_PI / product->exponent * product->weight * sum;
}

void one_electron_overlap(const struct chain *chain, double *overlap)
{
    const int n = chain->functions_count;

    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const struct product product = product_of(&chain->function[i], &chain->function[j]);

            overlap[i * n + j] = overlap[j * n + i] = product_overlap(&product);
        }
}

void one_electron_hamiltonian(const struct chain *chain, const struct boys *boys,
                              double *hamiltonian)
{
    const int n = chain->functions_count;

    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            const struct product product = product_of(&chain->function[i], &chain->function[j]);

            hamiltonian[i * n + j] = hamiltonian[j * n + i] = product_kinetic(&product) +
                                                              product_attraction(&product, chain,
                                                                                 boys);
        }
}
