/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/scf/chain.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const double SPACING = 4.0;
static const double ASIDE = 1.6; /* distance of the last six functions from the atom */

static const struct {
    double exponent;
    int x, y, z; /* in units of ASIDE */
} shape[CHAIN_FUNCTIONS_PER_ATOM] = {
    {1741.0, 0, 0, 0}, {262.1, 0, 0, 0}, {60.33, 0, 0, 0},  {17.62, 0, 0, 0},   {5.933, 0, 0, 0},
    {2.185, 0, 0, 0},  {0.859, 0, 0, 0}, {0.1806, 0, 0, 0}, {0.05835, 0, 0, 0}, {0.3, 1, 0, 0},
    {0.3, -1, 0, 0},   {0.3, 0, 1, 0},   {0.3, 0, -1, 0},   {0.3, 0, 0, 1},     {0.3, 0, 0, -1},
};

double chain_atom_x(int atom)
{
    return SPACING * atom;
}

int chain_create(int atoms_count, struct chain *chain)
{
    const int count = atoms_count * CHAIN_FUNCTIONS_PER_ATOM;
    struct gaussian *function = calloc((size_t)count, sizeof(*function));

    if (!function)
        return -ENOMEM;
    for (int i = 0; i < count; i++) {
        const int atom = i / CHAIN_FUNCTIONS_PER_ATOM, at = i % CHAIN_FUNCTIONS_PER_ATOM;

        function[i] = (struct gaussian){
            .x = chain_atom_x(atom) + ASIDE * shape[at].x,
            .y = ASIDE * shape[at].y,
            .z = ASIDE * shape[at].z,
            .exponent = shape[at].exponent,
            .norm = pow(2 * shape[at].exponent / M_PI, 0.75),
        };
    }
    *chain = (struct chain){atoms_count, count, function};
    return 0;
}

void chain_destroy(struct chain *chain)
{
    free(chain->function);
}

double chain_repulsion(const struct chain *chain)
{
    const double charge = CHAIN_ELECTRONS_PER_ATOM;
    double sum = 0;

    for (int i = 0; i < chain->atoms_count; i++)
        for (int j = 0; j < i; j++)
            sum += charge * charge / (chain_atom_x(i) - chain_atom_x(j));
    return sum;
}
