/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain SHA-1 of the two kinds of messages of a tree: the root's seed, and a parent's state with a
 * child's index. */
#ifndef JUGGLE_UTS_SHA1_H
#define JUGGLE_UTS_SHA1_H

#include <stdint.h>

enum {
    SHA1_WORDS = 5,   /* words of a digest, which is a node's state; they are big-endian */
    SHA1_ROUNDS = 80, /* also the words of a message schedule */
    SHA1_BLOCK = 16,  /* words of a message block */
    SHA1_INDEX = 5,   /* the word of a child's message that holds its index */
};

/* The initial working state, and the constants of the four groups of twenty rounds. */
#define SHA1_A  UINT32_C(0x67452301)
#define SHA1_B  UINT32_C(0xefcdab89)
#define SHA1_C  UINT32_C(0x98badcfe)
#define SHA1_D  UINT32_C(0x10325476)
#define SHA1_E  UINT32_C(0xc3d2e1f0)
#define SHA1_K0 UINT32_C(0x5a827999)
#define SHA1_K1 UINT32_C(0x6ed9eba1)
#define SHA1_K2 UINT32_C(0x8f1bbcdc)
#define SHA1_K3 UINT32_C(0xca62c1d6)

/* The first word after the message, and the length in bits of a child's message: 24 bytes. */
#define SHA1_END          UINT32_C(0x80000000)
#define SHA1_CHILD_LENGTH UINT32_C(192)

/* Fills words 16 to 79 of a schedule whose first sixteen words are the message block. */
void sha1_schedule(uint32_t words[SHA1_ROUNDS]);

void sha1_root(uint32_t seed, uint32_t state[SHA1_WORDS]);
void sha1_child(const uint32_t parent[SHA1_WORDS], uint32_t index, uint32_t state[SHA1_WORDS]);

#endif
