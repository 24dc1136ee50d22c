/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/uts/sha1.h"

#include <string.h>

/* The root's message: sixteen zero bytes and the seed. */
enum { ROOT_SEED_WORD = 4, ROOT_LENGTH = 160 };

static uint32_t rotate(uint32_t word, int bits)
{
    return word << bits | word >> (32 - bits);
}

void sha1_schedule(uint32_t words[SHA1_ROUNDS])
{
    for (int t = SHA1_BLOCK; t < SHA1_ROUNDS; t++)
        words[t] = rotate(words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16], 1);
}

/* Returns the sum of the nonlinear function and the constant of round t. */
static uint32_t sha1_mix(int t, uint32_t b, uint32_t c, uint32_t d)
{
    if (t < 20)
        return ((b & c) | (~b & d)) + SHA1_K0;
    if (t < 40)
        return (b ^ c ^ d) + SHA1_K1;
    if (t < 60)
        return ((b & c) | (b & d) | (c & d)) + SHA1_K2;
    return (b ^ c ^ d) + SHA1_K3;
}

static void sha1_block(uint32_t words[SHA1_ROUNDS], uint32_t state[SHA1_WORDS])
{
    uint32_t a = SHA1_A, b = SHA1_B, c = SHA1_C, d = SHA1_D, e = SHA1_E;

    sha1_schedule(words);
    for (int t = 0; t < SHA1_ROUNDS; t++) {
        const uint32_t next = rotate(a, 5) + sha1_mix(t, b, c, d) + e + words[t];

        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    const uint32_t digest[SHA1_WORDS] = {a + SHA1_A, b + SHA1_B, c + SHA1_C, d + SHA1_D,
                                         e + SHA1_E};
    memcpy(state, digest, sizeof(digest));
}

void sha1_root(uint32_t seed, uint32_t state[SHA1_WORDS])
{
    uint32_t words[SHA1_ROUNDS] = {
        [ROOT_SEED_WORD] = seed, [ROOT_SEED_WORD + 1] = SHA1_END, [SHA1_BLOCK - 1] = ROOT_LENGTH};

    sha1_block(words, state);
}

void sha1_child(const uint32_t parent[SHA1_WORDS], uint32_t index, uint32_t state[SHA1_WORDS])
{
    uint32_t words[SHA1_ROUNDS] = {
        [SHA1_INDEX] = index, [SHA1_INDEX + 1] = SHA1_END, [SHA1_BLOCK - 1] = SHA1_CHILD_LENGTH};

    memcpy(words, parent, SHA1_WORDS * sizeof(*words));
    sha1_block(words, state);
}
