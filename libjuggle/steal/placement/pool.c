/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/placement/pool.h"

#include <stdbool.h>
#include <string.h>

/* ---- sorting ------------------------------------------------------------------------------- */

enum { DIGIT_BITS = 11, DIGIT_VALUES = 1 << DIGIT_BITS };

struct sorting {
    uint64_t (*key)(const struct token *token, int64_t base);
    int64_t base;
};

static void sort_digit(const struct sorting *sorting, const struct token *from, struct token *to,
                       uint32_t count, unsigned shift)
{
    uint32_t place[DIGIT_VALUES] = {0};
    uint32_t begin = 0;

    for (uint32_t i = 0; i < count; i++)
        place[sorting->key(&from[i], sorting->base) >> shift & (DIGIT_VALUES - 1)]++;
    for (uint32_t value = 0; value < DIGIT_VALUES; value++) {
        uint32_t size = place[value];

        place[value] = begin;
        begin += size;
    }
    for (uint32_t i = 0; i < count; i++)
        to[place[sorting->key(&from[i], sorting->base) >> shift & (DIGIT_VALUES - 1)]++] = from[i];
}

/* Radix sort, the lowest digit first, with a pass for each digit of the greatest key. */
static void sort_tokens(const struct sorting *sorting, struct token *token, struct token *spare,
                        uint32_t count, uint64_t greatest)
{
    struct token *from = token, *to = spare;

    for (unsigned shift = 0; shift < 64 && greatest >> shift > 0; shift += DIGIT_BITS) {
        sort_digit(sorting, from, to, count, shift);
        struct token *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != token)
        memcpy(token, from, count * sizeof(*token));
}

static uint64_t key_shorter(const struct token *token, int64_t longest_ns)
{
    return (uint64_t)(longest_ns - token->load_ns);
}

static uint64_t key_origin(const struct token *token, int64_t base)
{
    return (uint64_t)(token->origin - base);
}

void pool_sort(struct pool *pool, uint32_t first)
{
    int64_t longest_ns = 0, shortest_ns = INT64_MAX;

    for (uint32_t i = first; i < pool->count; i++) {
        longest_ns = max_i64(longest_ns, pool->token[i].load_ns);
        shortest_ns = min_i64(shortest_ns, pool->token[i].load_ns);
    }
    if (longest_ns <= shortest_ns)
        return;
    const struct sorting sorting = {key_shorter, longest_ns};
    sort_tokens(&sorting, pool->token + first, pool->spare + first, pool->count - first,
                (uint64_t)(longest_ns - shortest_ns));
}

void pool_sort_origins(struct pool *pool)
{
    const struct sorting sorting = {key_origin, 0};
    int64_t greatest = 0;

    for (uint32_t i = 0; i < pool->count; i++)
        greatest = max_i64(greatest, pool->token[i].origin);
    sort_tokens(&sorting, pool->token, pool->spare, pool->count, (uint64_t)greatest);
}

/* ---- dealing ------------------------------------------------------------------------------- */

static bool branch_less(const struct branch *a, const struct branch *b)
{
    if (a->average_ns != b->average_ns)
        return a->average_ns < b->average_ns;
    return a->index < b->index;
}

static void branch_sink(struct branch *heap, int count, int at)
{
    const struct branch moved = heap[at];

    for (int child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && branch_less(&heap[child + 1], &heap[child]))
            child++;
        if (!branch_less(&heap[child], &moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static void branch_average(struct branch *branch)
{
    branch->average_ns = (double)branch->load_ns / branch->ranks;
}

void branches_order(struct branch *branches, int count)
{
    for (int i = 0; i < count; i++)
        branch_average(&branches[i]);
    for (int i = count / 2 - 1; i >= 0; i--)
        branch_sink(branches, count, i);
}

uint32_t pool_deal(struct pool *pool, uint32_t first, struct branch *branches, int count,
                   double full_ns)
{
    uint32_t i = first;

    for (; i < pool->count && branches[0].average_ns < full_ns; i++) {
        pool->to[i] = branches[0].index;
        branches[0].load_ns += pool->token[i].load_ns;
        branch_average(&branches[0]);
        branch_sink(branches, count, 0);
    }
    return i;
}

void pool_group(struct pool *pool, int branches, uint32_t *start)
{
    memset(start, 0, ((size_t)branches + 1) * sizeof(*start));
    for (uint32_t i = 0; i < pool->count; i++)
        start[pool->to[i] + 1]++;
    for (int branch = 0; branch < branches; branch++)
        start[branch + 1] += start[branch];
    for (uint32_t i = 0; i < pool->count; i++)
        pool->spare[start[pool->to[i]]++] = pool->token[i];
    /* Each start has moved to the end of its branch, which is the start of the next one. */
    memmove(start + 1, start, (size_t)branches * sizeof(*start));
    start[0] = 0;
}
