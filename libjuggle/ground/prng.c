/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/ground/prng.h"

static uint64_t rotate_left(uint64_t value, int bits)
{
    return (value << bits) | (value >> (64 - bits));
}

static uint64_t splitmix_next(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

void prng_seed(struct prng *prng, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        prng->word[i] = splitmix_next(&seed);
}

uint64_t prng_next(struct prng *prng)
{
    uint64_t *word = prng->word;
    const uint64_t result = rotate_left(word[1] * 5, 7) * 9;
    const uint64_t shifted = word[1] << 17;

    word[2] ^= word[0];
    word[3] ^= word[1];
    word[1] ^= word[2];
    word[0] ^= word[3];
    word[2] ^= shifted;
    word[3] = rotate_left(word[3], 45);
    return result;
}

uint64_t prng_below(struct prng *prng, uint64_t bound)
{
    /* Values under 2^64 mod bound would make the low residues likelier: draw again. */
    const uint64_t unfair = -bound % bound;
    uint64_t value;

    do
        value = prng_next(prng);
    while (value < unfair);
    return value % bound;
}

double prng_unit(struct prng *prng)
{
    return (double)(prng_next(prng) >> 11) * 0x1.0p-53;
}
