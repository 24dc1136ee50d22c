/* SPDX-License-Identifier: BSD-3-Clause */
/* The template of a hasher in portable vector code: define LANES and include it, once per width.
 *
 * A child's message is its parent's state (words 0 to 4), its index (word 5) and constant padding.
 * This saves a third of the work of a plain SHA-1 in three ways:
 *
 * - Rounds 0 to 4 depend on the parent only, and so do rounds 5 and 6 except for the index and a
 *   rotation of it: `prepare` computes them once per parent.
 * - The message schedule is linear over XOR: a child's word is the word of child 0 XOR the word of
 *   a message that is zero except for the index (struct hash_index).
 * - If a word does not depend on the index, `prepare` also adds the round's constant to it.
 *
 * LANES_ABOVE(a, b) may be defined too, as the bit set of lanes in which a is above b, both signed.
 * Both names are undefined at the end of this file. */
#include "tools/uts/hasher.h"

#define LANES_JOIN(name, lanes) name##_##lanes
#define LANES_EVAL(name, lanes) LANES_JOIN(name, lanes)
#define LANES_(name)            LANES_EVAL(name, LANES)

#define lanes_word   LANES_(lanes_word)
#define lanes_signed LANES_(lanes_signed)
#define LANES_INLINE static inline __attribute__((always_inline))

typedef uint32_t lanes_word __attribute__((vector_size(LANES * sizeof(uint32_t)), may_alias));
typedef int32_t lanes_signed __attribute__((vector_size(LANES * sizeof(int32_t)), may_alias));

#ifndef LANES_ABOVE
LANES_INLINE uint32_t LANES_(lanes_above)(lanes_signed a, lanes_signed b)
{
    uint32_t above = 0;

    for (int lane = 0; lane < LANES; lane++)
        above |= (uint32_t)(a[lane] > b[lane]) << lane;
    return above;
}
#define LANES_ABOVE(a, b) LANES_(lanes_above)(a, b)
#endif

LANES_INLINE lanes_word LANES_(lanes_rotate)(lanes_word word, int bits)
{
    return word << bits | word >> (32 - bits);
}

LANES_INLINE lanes_word LANES_(lanes_choose)(lanes_word b, lanes_word c, lanes_word d)
{
    return d ^ (b & (c ^ d));
}

LANES_INLINE lanes_word LANES_(lanes_parity)(lanes_word b, lanes_word c, lanes_word d)
{
    return b ^ c ^ d;
}

LANES_INLINE lanes_word LANES_(lanes_majority)(lanes_word b, lanes_word c, lanes_word d)
{
    return (b & c) | (d & (b | c));
}

LANES_INLINE uint32_t LANES_(lanes_constant)(int t)
{
    return t < 20 ? SHA1_K0 : t < 40 ? SHA1_K1 : t < 60 ? SHA1_K2 : SHA1_K3;
}

/* Returns the term of round t for a child: its message word plus the constant. */
LANES_INLINE lanes_word LANES_(lanes_message)(lanes_word parent, uint32_t index, int t)
{
    if (hash_index_absent(t))
        return parent;
    return (parent ^ index) + LANES_(lanes_constant)(t);
}

/* A round. Instead of moving the words, the next round names them in rotated order: e is its a, and
 * the rotated b its c. */
#define LANES_ROUND(function, a, b, c, d, e, message) \
    do {                                              \
        e += message;                                 \
        e += LANES_(lanes_##function)(b, c, d);       \
        e += LANES_(lanes_rotate)(a, 5);              \
        b = LANES_(lanes_rotate)(b, 30);              \
    } while (0)

static void LANES_(prepare)(const struct hash_parents *parents, int first,
                            struct hash_common *common)
{
    lanes_word *schedule = (lanes_word *)common->schedule;
    lanes_word *working = (lanes_word *)common->working;
    const lanes_word zero = {0};
    lanes_word words[SHA1_ROUNDS];

    for (int t = 0; t < SHA1_BLOCK; t++)
        words[t] = t < SHA1_WORDS ? *(const lanes_word *)&parents->state[t][first] : zero;
    words[SHA1_INDEX + 1] += SHA1_END;
    words[SHA1_BLOCK - 1] += SHA1_CHILD_LENGTH;
    lanes_word a = zero + SHA1_A, b = zero + SHA1_B, c = zero + SHA1_C, d = zero + SHA1_D,
               e = zero + SHA1_E;
    LANES_ROUND(choose, a, b, c, d, e, words[0] + SHA1_K0);
    LANES_ROUND(choose, e, a, b, c, d, words[1] + SHA1_K0);
    LANES_ROUND(choose, d, e, a, b, c, words[2] + SHA1_K0);
    LANES_ROUND(choose, c, d, e, a, b, words[3] + SHA1_K0);
    LANES_ROUND(choose, b, c, d, e, a, words[4] + SHA1_K0);
    LANES_ROUND(choose, a, b, c, d, e, SHA1_K0);
    working[0] = LANES_(lanes_rotate)(a, 30);
    working[1] = b;
    working[2] = c;
    working[3] = d + LANES_(lanes_choose)(a, b, c) + words[6] + SHA1_K0;
    working[4] = e;

#pragma GCC unroll 80
    for (int t = 0; t < SHA1_ROUNDS; t++) {
        if (t >= SHA1_BLOCK)
            words[t] = LANES_(lanes_rotate)(
                words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16], 1);
        schedule[t] = words[t] + (hash_index_absent(t) ? LANES_(lanes_constant)(t) : 0);
    }
    *(lanes_word *)common->flip = *(const lanes_word *)&parents->flip[first];
    *(lanes_word *)common->limit = *(const lanes_word *)&parents->limit[first];
}

/* Round t of one child or of two, whose independent instructions the processor can overlap. */
#define LANES_STEP(function, t, a, b, c, d, e)                                     \
    do {                                                                           \
        LANES_ROUND(function, a[0], b[0], c[0], d[0], e[0],                        \
                    LANES_(lanes_message)(schedule[t], index[0].words[t], t));     \
        if (count > 1)                                                             \
            LANES_ROUND(function, a[1], b[1], c[1], d[1], e[1],                    \
                        LANES_(lanes_message)(schedule[t], index[1].words[t], t)); \
    } while (0)

#define LANES_FIVE_STEPS(function, t)                 \
    do {                                              \
        LANES_STEP(function, t, a, b, c, d, e);       \
        LANES_STEP(function, (t) + 1, e, a, b, c, d); \
        LANES_STEP(function, (t) + 2, d, e, a, b, c); \
        LANES_STEP(function, (t) + 3, c, d, e, a, b); \
        LANES_STEP(function, (t) + 4, b, c, d, e, a); \
    } while (0)

/* Hashes one child or two, from number `child` on. `count` is a constant in each inlined copy. */
LANES_INLINE void LANES_(lanes_digest)(const struct hash_common *common,
                                       const struct hash_index *index, int child, int count,
                                       struct hash_children *children)
{
    const lanes_word *schedule = (const lanes_word *)common->schedule;
    const lanes_word *working = (const lanes_word *)common->working;
    lanes_word a[2], b[2], c[2], d[2], e[2];

    index += child;
    for (int i = 0; i < count; i++) {
        a[i] = working[0];
        b[i] = working[1];
        c[i] = working[2];
        e[i] = working[4] + index[i].words[SHA1_INDEX];
        d[i] = working[3] + LANES_(lanes_rotate)(e[i], 5);
    }
    LANES_STEP(choose, 7, d, e, a, b, c);
    LANES_STEP(choose, 8, c, d, e, a, b);
    LANES_STEP(choose, 9, b, c, d, e, a);
    LANES_FIVE_STEPS(choose, 10);
    LANES_FIVE_STEPS(choose, 15);
    LANES_FIVE_STEPS(parity, 20);
    LANES_FIVE_STEPS(parity, 25);
    for (int t = 30; t < 40; t += 5)
        LANES_FIVE_STEPS(parity, t);
    for (int t = 40; t < 60; t += 5)
        LANES_FIVE_STEPS(majority, t);
    for (int t = 60; t < 80; t += 5)
        LANES_FIVE_STEPS(parity, t);

    for (int i = 0; i < count; i++) {
        const lanes_word last = e[i] + SHA1_E;
        const lanes_word rank = (last & HASH_VALUE_MASK) ^ *(const lanes_word *)common->flip;

        ((lanes_word *)children->state[0])[child + i] = a[i] + SHA1_A;
        ((lanes_word *)children->state[1])[child + i] = b[i] + SHA1_B;
        ((lanes_word *)children->state[2])[child + i] = c[i] + SHA1_C;
        ((lanes_word *)children->state[3])[child + i] = d[i] + SHA1_D;
        ((lanes_word *)children->state[4])[child + i] = last;
        ((lanes_word *)children->rank)[child + i] = rank;
        children->fertile |=
            (uint64_t)LANES_ABOVE((lanes_signed)rank, *(const lanes_signed *)common->limit)
            << ((child + i) * LANES);
    }
}

static void LANES_(digest)(const struct hash_common *common, const struct hash_index *index,
                           int count, struct hash_children *children)
{
    int child = 0;

    children->fertile = 0;
    for (; child + 1 < count; child += 2)
        LANES_(lanes_digest)(common, index, child, 2, children);
    if (child < count)
        LANES_(lanes_digest)(common, index, child, 1, children);
}

#undef LANES_ABOVE
#undef LANES
