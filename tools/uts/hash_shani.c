/* SPDX-License-Identifier: BSD-3-Clause */
/* One lane, with the SHA instructions: four rounds each, message words in groups of four whose
 * first stands highest. As in lanes.h, the parent's schedule is computed once and the index joins
 * by XOR; the instructions add the constants themselves. */
#include "tools/uts/hasher.h"

#include <immintrin.h>

enum { GROUP = 4, GROUPS_OF_KIND = SHA1_ROUNDS / GROUP / 4, GROUP_REVERSED = 0x1b };

static __m128i group_load(const uint32_t *words, int group)
{
    return _mm_load_si128((const __m128i *)words + group);
}

static void prepare(const struct hash_parents *parents, int first, struct hash_common *common)
{
    uint32_t *words = common->schedule;

    for (int t = 0; t < SHA1_WORDS; t++)
        words[t] = parents->state[t][first];
    for (int t = SHA1_WORDS; t < SHA1_BLOCK; t++)
        words[t] = 0;
    words[SHA1_INDEX + 1] = SHA1_END;
    words[SHA1_BLOCK - 1] = SHA1_CHILD_LENGTH;
    sha1_schedule(words);
    common->flip[0] = parents->flip[first];
    common->limit[0] = parents->limit[first];
}

/* Four rounds times five of two neighbours, or of one. The compiler needs the kind of rounds as a
 * literal. */
#define GROUP_ROUNDS(kind)                                                                     \
    _Pragma("GCC unroll 5") for (int group = (kind)*GROUPS_OF_KIND;                            \
                                 group < ((kind) + 1) * GROUPS_OF_KIND; group++)               \
    {                                                                                          \
        const __m128i parent = group_load(common->schedule, group);                            \
        _Pragma("GCC unroll 2") for (int i = 0; i < count; i++)                                \
        {                                                                                      \
            const __m128i words = _mm_shuffle_epi32(                                           \
                _mm_xor_si128(parent, group_load(index[i].words, group)), GROUP_REVERSED);     \
            const __m128i before = abcd[i];                                                    \
                                                                                               \
            abcd[i] = _mm_sha1rnds4_epu32(                                                     \
                before, group ? _mm_sha1nexte_epu32(e[i], words) : _mm_add_epi32(e[i], words), \
                kind);                                                                         \
            e[i] = before;                                                                     \
        }                                                                                      \
    }

static inline __attribute__((always_inline)) void digest_some(const struct hash_common *common,
                                                              const struct hash_index *index,
                                                              int child, int count,
                                                              struct hash_children *children)
{
    const __m128i abcd_start = _mm_set_epi32((int)SHA1_A, (int)SHA1_B, (int)SHA1_C, (int)SHA1_D);
    const __m128i e_start = _mm_set_epi32((int)SHA1_E, 0, 0, 0);
    __m128i abcd[2] = {abcd_start, abcd_start}, e[2] = {e_start, e_start};

    index += child;
    GROUP_ROUNDS(0)
    GROUP_ROUNDS(1)
    GROUP_ROUNDS(2)
    GROUP_ROUNDS(3)
    for (int i = 0; i < count; i++) {
        const __m128i first = _mm_add_epi32(abcd[i], abcd_start);
        const uint32_t last = (uint32_t)_mm_extract_epi32(_mm_sha1nexte_epu32(e[i], e_start),
                                                          GROUP - 1);
        const uint32_t rank = (last & HASH_VALUE_MASK) ^ common->flip[0];

        children->state[0][child + i] = (uint32_t)_mm_extract_epi32(first, 3);
        children->state[1][child + i] = (uint32_t)_mm_extract_epi32(first, 2);
        children->state[2][child + i] = (uint32_t)_mm_extract_epi32(first, 1);
        children->state[3][child + i] = (uint32_t)_mm_extract_epi32(first, 0);
        children->state[4][child + i] = last;
        children->rank[child + i] = rank;
        children->fertile |= (uint64_t)((int32_t)rank > common->limit[0]) << (child + i);
    }
}

static void digest(const struct hash_common *common, const struct hash_index *index, int count,
                   struct hash_children *children)
{
    int child = 0;

    children->fertile = 0;
    for (; child + 1 < count; child += 2)
        digest_some(common, index, child, 2, children);
    if (child < count)
        digest_some(common, index, child, 1, children);
}

const struct hasher hasher_shani = {"shani", 1, prepare, digest};
