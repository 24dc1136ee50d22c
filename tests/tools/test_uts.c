/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of uts: states, trees as they are defined, their integer form, and whole searches. */
#include "tests/lib/suite.h"
#include "tools/uts/sequential.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void check_state(const uint32_t *state, const char *expected, uint32_t value)
{
    char text[8 * SHA1_WORDS + 1];

    for (int word = 0; word < SHA1_WORDS; word++)
        snprintf(text + 8 * word, sizeof(text) - 8 * (size_t)word, "%08" PRIx32, state[word]);
    ck_assert_str_eq(text, expected);
    ck_assert_uint_eq(state[SHA1_WORDS - 1] & HASH_VALUE_MASK, value);
}

START_TEST(test_published_states)
{
    uint32_t root[SHA1_WORDS], child[SHA1_WORDS];

    sha1_root(42, root);
    check_state(root, "a11dabbcec7aab309c890ab3dbc256eaeb582782", 1800939394);
    sha1_child(root, 0, child);
    check_state(child, "7407806c9e18f6e1d4d944809de9c0c94b892757", 1267279703);
    sha1_root(19, root);
    check_state(root, "c6988ab70cc9559ae4d6cba254e29a845a85f86b", 1518729323);
    sha1_child(root, 0, child);
    check_state(child, "2fb3131030280c1617a81d6a49c1e29effb19645", 2142344773);
}

START_TEST(test_published_root)
{
    struct tree tree;
    struct node root;

    ck_assert_int_eq(tree_named("T1", &tree), 0);
    tree_root(&tree, &root);
    ck_assert_uint_eq(root.children, 5);
    ck_assert_int_eq(tree_named("T3", &tree), 0);
    tree_root(&tree, &root);
    ck_assert_uint_eq(root.children, 2000);
    ck_assert_int_eq(tree_named("T2000", &tree), -ENOENT);
}

/* Trees of every type and shape, with factors below, at and above one, at whole and odd values. */
static const struct tree trees[] = {
    {.type = TREE_GEOMETRIC, .shape = TREE_LINEAR, .branching = 4, .depth = 6},
    {.type = TREE_GEOMETRIC, .shape = TREE_LINEAR, .branching = 90.5, .depth = 3},
    {.type = TREE_GEOMETRIC, .shape = TREE_EXPONENTIAL, .branching = 3.7, .depth = 9},
    {.type = TREE_GEOMETRIC, .shape = TREE_EXPONENTIAL, .branching = 0.5, .depth = 1},
    {.type = TREE_GEOMETRIC, .shape = TREE_CYCLIC, .branching = 6, .depth = 16},
    {.type = TREE_GEOMETRIC, .shape = TREE_CYCLIC, .branching = 2000, .depth = 2},
    {.type = TREE_GEOMETRIC, .shape = TREE_FIXED, .branching = 4, .depth = 5},
    {.type = TREE_GEOMETRIC, .shape = TREE_FIXED, .branching = 0.001, .depth = 5},
    {.type = TREE_GEOMETRIC, .shape = TREE_FIXED, .branching = 4, .depth = 0},
    {.type = TREE_BINOMIAL, .branching = 2000, .branches = 8, .branch_chance = 0.124875},
    {.type = TREE_BINOMIAL, .branching = 3, .branches = 150, .branch_chance = 0.001},
    {.type = TREE_BINOMIAL, .branching = 3, .branches = 1, .branch_chance = 0},
    {.type = TREE_HYBRID,
     .branching = 6,
     .depth = 16,
     .shift = 0.5,
     .branches = 4,
     .branch_chance = 0.234375},
    {.type = TREE_BALANCED, .branching = 3.9, .depth = 4},
    {.type = TREE_BALANCED, .branching = 500, .depth = 2},
};

enum { HEIGHTS = 90, VALUE_STEP = 7777777 };

static void check_value(const struct tree *tree, const struct tree_level *level, int64_t height,
                        uint32_t value)
{
    const uint32_t rank = value ^ level->flip;
    const int64_t children = tree_children_count(tree, height, value);

    ck_assert_int_eq(tree_level_children(level, rank), children);
    ck_assert_int_eq((int64_t)rank > level->limit, children > 0);
}

/* Values all over the range, its ends, and both sides of every bound. */
static void check_level(const struct tree *tree, const struct tree_level *level, int64_t height)
{
    for (uint32_t value = 0; value < HASH_VALUE_MASK - VALUE_STEP; value += VALUE_STEP)
        check_value(tree, level, height, value);
    check_value(tree, level, height, 0);
    check_value(tree, level, height, HASH_VALUE_MASK);
    for (int i = 0; i < TREE_CHILDREN_MAX; i++) {
        if (level->bound[i] > HASH_VALUE_MASK)
            break;
        check_value(tree, level, height, level->bound[i] ^ level->flip);
        if (level->bound[i])
            check_value(tree, level, height, (level->bound[i] - 1) ^ level->flip);
    }
}

START_TEST(test_levels_are_the_definition)
{
    static struct tree_levels levels;

    for (size_t i = 0; i < ARRAY_COUNT(trees); i++) {
        tree_levels_init(&levels, &trees[i]);
        for (int64_t height = 1; height < HEIGHTS; height++)
            check_level(&trees[i], tree_level(&levels, height), height);
    }
}

/* The definition, one node at a time, without anything that makes the search fast. */
static void search_plainly(const struct tree *tree, const uint32_t *state, int64_t height,
                           struct census *census)
{
    const int64_t children = tree_children_count(tree, height,
                                                 state[SHA1_WORDS - 1] & HASH_VALUE_MASK);

    census->nodes++;
    census->leaves += children == 0;
    census->depth = max_i64(census->depth, height);
    for (int64_t i = 0; i < children; i++) {
        uint32_t child[SHA1_WORDS];

        sha1_child(state, (uint32_t)i, child);
        search_plainly(tree, child, height + 1, census);
    }
}

static void check_search(const struct tree *tree)
{
    static const char *const hashers[] = {"c", "avx2", "avx512"};
    struct census plain = {0};
    uint32_t root[SHA1_WORDS];

    sha1_root((uint32_t)tree->seed, root);
    search_plainly(tree, root, 0, &plain);
    for (size_t i = 0; i < ARRAY_COUNT(hashers); i++) {
        const struct hasher *hasher;
        struct census census;

        if (hasher_find(hashers[i], &hasher) != 0)
            continue;
        ck_assert_int_eq(sequential_search(tree, hasher, &census), 0);
        ck_assert_int_eq(census.nodes, plain.nodes);
        ck_assert_int_eq(census.leaves, plain.leaves);
        ck_assert_int_eq(census.depth, plain.depth);
    }
}

/* Small trees of every kind with several seeds: partly filled lanes, odd numbers of children. */
START_TEST(test_searches_are_the_definition)
{
    static const struct tree small[] = {
        {.type = TREE_GEOMETRIC, .shape = TREE_LINEAR, .branching = 4, .depth = 8},
        {.type = TREE_GEOMETRIC, .shape = TREE_EXPONENTIAL, .branching = 3, .depth = 4},
        {.type = TREE_GEOMETRIC, .shape = TREE_CYCLIC, .branching = 2, .depth = 4},
        {.type = TREE_GEOMETRIC, .shape = TREE_FIXED, .branching = 30, .depth = 2},
        {.type = TREE_GEOMETRIC, .shape = TREE_FIXED, .branching = 0, .depth = 2},
        {.type = TREE_BINOMIAL, .branching = 333, .branches = 3, .branch_chance = 0.3},
        {.type = TREE_BINOMIAL, .branching = 0.9, .branches = 3, .branch_chance = 0.3},
        {.type = TREE_HYBRID,
         .branching = 3,
         .depth = 6,
         .shift = 0.5,
         .branches = 5,
         .branch_chance = 0.15},
        {.type = TREE_HYBRID,
         .branching = 300,
         .depth = 6,
         .shift = 0,
         .branches = 5,
         .branch_chance = 0.15},
        {.type = TREE_BALANCED, .branching = 5, .depth = 5},
    };

    for (size_t i = 0; i < ARRAY_COUNT(small); i++)
        for (int seed = 0; seed < 8; seed++) {
            struct tree tree = small[i];

            tree.seed = seed;
            tree.granularity = 1 + seed % 2;
            check_search(&tree);
        }
}

START_TEST(test_faults)
{
    static const char *const published[] = {"T1", "T1L", "T3", "T3L", "T3XXL", "T3WL", "T4"};
    struct tree tree = tree_default();

    ck_assert_ptr_null(tree_fault(&tree));
    tree.branches = 5;
    tree.branch_chance = 0.2;
    ck_assert_ptr_null(tree_fault(&tree));
    tree.type = TREE_BINOMIAL;
    ck_assert_ptr_nonnull(strstr(tree_fault(&tree), "-q times -m"));
    tree.type = TREE_HYBRID;
    ck_assert_ptr_nonnull(strstr(tree_fault(&tree), "-q times -m"));
    tree = tree_default();
    tree.shape = TREE_EXPONENTIAL;
    tree.depth = 0;
    ck_assert_ptr_nonnull(strstr(tree_fault(&tree), "endless"));
    tree.depth = 2, tree.branching = 0.9;
    ck_assert_ptr_nonnull(strstr(tree_fault(&tree), "endless"));
    tree = tree_default();
    tree.branching = 1e17; /* log(1 - 1 / (1 + b)) is 0 */
    ck_assert_ptr_nonnull(strstr(tree_fault(&tree), "-b must be below"));
    tree = tree_default();
    tree.type = TREE_BINOMIAL;
    tree.branches = 200, tree.branch_chance = 0.004;
    ck_assert_ptr_nonnull(strstr(tree_fault(&tree), "at most 100"));
    tree.type = TREE_BALANCED;
    tree.branching = 200, tree.branches = 8;
    ck_assert_ptr_nonnull(strstr(tree_fault(&tree), "at most 100"));
    tree.branching = -5;
    ck_assert_ptr_nonnull(strstr(tree_fault(&tree), "negative"));
    for (size_t i = 0; i < ARRAY_COUNT(published); i++) {
        ck_assert_int_eq(tree_named(published[i], &tree), 0);
        ck_assert_ptr_null(tree_fault(&tree));
    }
}

SUITE("uts")
