/* SPDX-License-Identifier: BSD-3-Clause */
/* The template of the hashers at every width, and the hashers of this processor, compared with
 * plain SHA-1. */
#define LANES 4
#include "tools/uts/lanes.h"
#define LANES 8
#include "tools/uts/lanes.h"
#define LANES 16
#include "tools/uts/lanes.h"
#define LANES 32
#include "tools/uts/lanes.h"

#include "libjuggle/ground/prng.h"
#include "tests/lib/suite.h"

#include <errno.h>
#include <stdio.h>

enum { ROUNDS_COUNT = 20 };

static const struct hasher widths[] = {
    {"4 lanes", 4, prepare_4, digest_4},
    {"8 lanes", 8, prepare_8, digest_8},
    {"16 lanes", 16, prepare_16, digest_16},
    {"32 lanes", 32, prepare_32, digest_32},
};

static struct hash_parents parents;
static struct hash_common common;
static struct hash_children children;

static void parents_fill(struct prng *prng, int first, int lanes)
{
    for (int position = first; position < first + lanes; position++) {
        for (int word = 0; word < SHA1_WORDS; word++)
            parents.state[word][position] = (uint32_t)prng_next(prng);
        parents.flip[position] = prng_below(prng, 2) ? HASH_VALUE_MASK : 0;
        parents.limit[position] = (int32_t)(prng_next(prng) & HASH_VALUE_MASK);
    }
    /* The extremes: every child has children, and none has. */
    parents.limit[first] = -1;
    if (lanes > 1)
        parents.limit[first + 1] = (int32_t)HASH_VALUE_MASK;
}

static void check_place(int position, int place, uint32_t child)
{
    uint32_t parent[SHA1_WORDS], expected[SHA1_WORDS];

    for (int word = 0; word < SHA1_WORDS; word++)
        parent[word] = parents.state[word][position];
    sha1_child(parent, child, expected);
    for (int word = 0; word < SHA1_WORDS; word++)
        ck_assert_uint_eq(children.state[word][place], expected[word]);

    const uint32_t rank = (expected[SHA1_WORDS - 1] & HASH_VALUE_MASK) ^ parents.flip[position];
    ck_assert_uint_eq(children.rank[place], rank);
    ck_assert_int_eq(children.fertile >> place & 1, (int64_t)rank > parents.limit[position]);
}

/* Every number of children that fits, some at the start and some far up. */
static void check_hasher(const struct hasher *hasher)
{
    const int most = HASH_PLACES / hasher->lanes;
    struct hash_index index[HASH_PLACES];
    struct prng prng;

    prng_seed(&prng, (uint64_t)hasher->lanes);
    for (int round = 0; round < ROUNDS_COUNT; round++) {
        const int first = hasher->lanes * (int)prng_below(&prng, 8), count = 1 + round % most;
        const uint32_t eldest = round % 2 ? (uint32_t)prng_next(&prng) : 0;

        parents_fill(&prng, first, hasher->lanes);
        for (int i = 0; i < count; i++)
            hash_index_fill(&index[i], eldest + (uint32_t)i);
        hasher->prepare(&parents, first, &common);
        hasher->digest(&common, index, count, &children);
        for (int place = 0; place < count * hasher->lanes; place++)
            check_place(first + place % hasher->lanes, place,
                        eldest + (uint32_t)(place / hasher->lanes));
    }
}

START_TEST(test_template_at_every_width)
{
    for (size_t i = 0; i < ARRAY_COUNT(widths); i++)
        check_hasher(&widths[i]);
}

START_TEST(test_hashers_of_this_processor)
{
    static const char *const names[] = {"c", "avx2", "avx512"};

    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        const struct hasher *hasher;

        if (hasher_find(names[i], &hasher) == 0)
            check_hasher(hasher);
        else
            printf("skip: this processor cannot run the hasher '%s'\n", names[i]);
    }
}

/* The words that the digests do not affect are zero in the schedule of every index. */
START_TEST(test_index_is_absent_where_promised)
{
    for (uint32_t bit = 0; bit < 32; bit++) {
        struct hash_index index;

        hash_index_fill(&index, UINT32_C(1) << bit);
        for (int t = 0; t < SHA1_ROUNDS; t++)
            ck_assert_msg(!hash_index_absent(t) || index.words[t] == 0, "word %d", t);
    }
}

START_TEST(test_find_by_name)
{
    const struct hasher *hasher = NULL, *best = NULL;

    ck_assert_int_eq(hasher_find("md5", &hasher), -ENOENT);
    ck_assert_ptr_null(hasher);
    ck_assert_int_eq(hasher_find("c", &hasher), 0);
    ck_assert_str_eq(hasher->name, "c");
    ck_assert_int_eq(hasher_find("auto", &best), 0);
    ck_assert_int_eq(hasher_find(best->name, &hasher), 0);
    ck_assert_ptr_eq(hasher, best);
}

SUITE("uts-lanes")
