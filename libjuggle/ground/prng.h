/* SPDX-License-Identifier: BSD-3-Clause */
/* A small seeded random generator (xoshiro256**): state is passed in, never global. */
#ifndef JUGGLE_GROUND_PRNG_H
#define JUGGLE_GROUND_PRNG_H

#include <stdint.h>

struct prng {
    uint64_t word[4];
};

/* Any seed is good, zero too: the state is filled by splitmix64. */
void prng_seed(struct prng *prng, uint64_t seed);

uint64_t prng_next(struct prng *prng);

/* Uniform in [0, bound), without modulo bias; bound > 0. */
uint64_t prng_below(struct prng *prng, uint64_t bound);

/* Uniform in [0, 1), 53 bits. */
double prng_unit(struct prng *prng);

#endif
