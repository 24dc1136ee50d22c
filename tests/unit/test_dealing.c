/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts that deal tasks out, with any input: no task is lost, and each receiver gets its
 * part. */
#include "tests/lib/chance.h"

#include "libjuggle/steal/placement/pool.h"
#include "libjuggle/steal/placement/shape.h"
#include "libjuggle/steal/runtime/tiers.h"

#include <math.h>

enum { TOKENS_MAX = 200, BRANCHES_MAX = 12, RANKS_MAX = 300 };

static int64_t some_ns(void)
{
    return below(INT64_C(1) << below(50));
}

/* Checks that the longest tasks go first, each to the branch with the least load. */
static void deal_tokens(void)
{
    struct token tokens[TOKENS_MAX], spare[TOKENS_MAX];
    int32_t to[TOKENS_MAX];
    uint32_t start[BRANCHES_MAX + 1];
    struct branch branches[BRANCHES_MAX];
    struct pool pool = {tokens, spare, to, (uint32_t)below(TOKENS_MAX), TOKENS_MAX};
    const int count = (int)between(1, BRANCHES_MAX);
    int64_t before_ns = 0, after_ns = 0, longest_ns = 0, least_ns = INT64_MAX;

    for (uint32_t i = 0; i < pool.count; i++) {
        tokens[i] = (struct token){some_ns(), (int32_t)below(RANKS_MAX), i};
        before_ns += tokens[i].load_ns;
        longest_ns = max_i64(longest_ns, tokens[i].load_ns);
    }
    for (int i = 0; i < count; i++)
        branches[i] = (struct branch){.ranks = 1, .index = i};
    pool_sort(&pool, 0);
    for (uint32_t i = 1; i < pool.count; i++)
        ALWAYS(tokens[i - 1].load_ns > tokens[i].load_ns ||
               (tokens[i - 1].load_ns == tokens[i].load_ns && tokens[i - 1].slot < tokens[i].slot));
    branches_order(branches, count);
    ALWAYS(pool_deal(&pool, 0, branches, count, INFINITY) == pool.count);
    for (int i = 0; i < count; i++) {
        after_ns += branches[i].load_ns;
        least_ns = min_i64(least_ns, branches[i].load_ns);
    }
    ALWAYS(after_ns == before_ns);
    for (int i = 0; i < count; i++)
        ALWAYS(branches[i].load_ns - least_ns <= longest_ns);
    pool_group(&pool, count, start);
    ALWAYS(start[0] == 0 && start[count] == pool.count);
    for (int i = 0; i < count; i++) {
        int64_t load_ns = 0;
        for (uint32_t at = start[branches[i].index]; at < start[branches[i].index + 1]; at++)
            load_ns += spare[at].load_ns;
        ALWAYS(load_ns == branches[i].load_ns);
    }
}

START_TEST(tokens_are_dealt_evenly_and_none_is_lost)
{
    live_with_seeds(2000, deal_tokens);
}

/* Walks the tree and checks that each rank is one leaf. */
static int leaves_of(const struct shape *shape, struct range range, int depth)
{
    const int parts = shape_parts(shape, range);
    int leaves = parts == 0, at = range.first;

    ALWAYS(range_size(range) > 0 && depth < 20);
    for (int part = 0; part < parts; part++) {
        const struct range cut = shape_part(shape, range, part);
        ALWAYS(cut.first == at);
        leaves += leaves_of(shape, cut, depth + 1);
        at = cut.end;
    }
    ALWAYS(parts == 0 || at == range.end);
    return leaves;
}

static void grow_a_tree(void)
{
    const int ranks = (int)between(1, RANKS_MAX);
    int32_t node_start[RANKS_MAX + 1];
    struct shape shape = {.ranks = ranks, .arity = (int)between(2, 2 * ranks)};

    if (one_in(2))
        shape.arity = (int)between(2, 4);
    if (one_in(2)) {
        for (int at = 0; at < ranks; at += (int)between(1, one_in(2) ? 8 : ranks))
            node_start[shape.nodes++] = at;
        node_start[shape.nodes] = ranks;
        shape.node_start = node_start;
    }
    ALWAYS(leaves_of(&shape, (struct range){0, ranks}, 0) == ranks);
}

START_TEST(every_rank_is_a_leaf_of_the_tree)
{
    live_with_seeds(3000, grow_a_tree);
}

/* The given part of each tier, and so of all, is that part of the work, up to half of a task. */
static void cut_a_part(void)
{
    const struct tiers tiers = {.classes = one_in(2) ? 1 : COST_CLASSES};
    struct tiers_part part = {.fraction = (double)between(1, 100) / 100};
    double most = 0;

    for (int tier = (int)below(20); tier < COST_CLASSES; tier += (int)between(1, 30)) {
        const uint32_t count = (uint32_t)below(one_in(2) ? 3 : 10000);
        const double seen = part.seen, given = part.given;
        const uint32_t portion = tiers_portion(&tiers, &part, tier, count);
        ALWAYS(portion <= count);
        if (count > 0)
            most = fmax(most, (part.seen - seen) / count);
        ALWAYS(part.given >= given && fabs(part.fraction * part.seen - part.given) <= 0.501 * most);
    }
}

START_TEST(a_part_of_each_tier_is_that_part_of_the_work)
{
    live_with_seeds(5000, cut_a_part);
}

SUITE("dealing")
