/* SPDX-License-Identifier: BSD-3-Clause */
/* Results on virtual ranks: each comes to rank 0 once, with its bytes, in the order asked for,
 * before any rank leaves, whatever the network does and however little memory there is. */
#include "tests/lib/suite.h"

#include "tests/sim/cluster.h"

#include "libjuggle/ground/prng.h"
#include "libjuggle/ground/units.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 4000, SIZE_MAX_BYTES = 700 };

/* The results that rank 0 has been given. */
static struct {
    unsigned char came[NODES];
    uint64_t count;
    bool in_order;
    bool wrong;
} given;

static size_t size_of(uint64_t node)
{
    return node % 5 == 0 ? 0 : node * 7919 % SIZE_MAX_BYTES;
}

static void fill(unsigned char *data, uint64_t node)
{
    for (size_t i = 0; i < size_of(node); i++)
        data[i] = (unsigned char)(node + i);
}

static void tell(struct steal_worker *worker, struct steal_collection *here, uint64_t node)
{
    unsigned char data[SIZE_MAX_BYTES];

    (void)here;
    fill(data, node);
    if (steal_result(worker, node, data, size_of(node)) < 0)
        given.wrong = true;
}

static void take(void *local, uint64_t id, const void *data, size_t size)
{
    unsigned char expected[SIZE_MAX_BYTES];

    (void)local;
    if (id >= NODES || size != size_of(id)) {
        given.wrong = true;
        return;
    }
    fill(expected, id);
    given.wrong |= size > 0 && memcmp(data, expected, size) != 0;
    given.in_order &= id == given.count;
    given.came[id]++;
    given.count++;
}

static void expect_right(const struct cluster_settings *settings)
{
    struct cluster_result result;
    const char *wrong;

    memset(&given, 0, sizeof(given));
    given.in_order = true;
    wrong = cluster_run(settings, &result);
    if (!wrong && given.wrong)
        wrong = "a result is not what was given";
    if (!wrong && given.count != (uint64_t)result.visited)
        wrong = "not as many results as visits";
    for (uint64_t node = 0; node < forest.nodes && !wrong; node++)
        if (given.came[node] > 1)
            wrong = "a result came twice";
    if (!wrong && settings->properties.results == STEAL_RESULTS_BY_ID && !given.in_order &&
        settings->cancel_node == 0)
        wrong = "results are out of order";
    cluster_expect_none(settings, wrong);
}

static void for_terminations(struct cluster_settings settings)
{
    for (int i = 0; steal_choice_name(STEAL_CHOICE_TERMINATION, i); i++) {
        settings.properties.termination = (enum steal_termination)i;
        settings.properties.lifelines = settings.seed % 2 == 0 ? 0 : 2;
        settings.properties.results = (enum steal_results)((settings.seed + (uint64_t)i) % 2);
        expect_right(&settings);
    }
}

static struct cluster_settings basic(int ranks, uint64_t seed)
{
    struct cluster_settings settings = cluster_basic(ranks, seed);

    settings.visited = tell;
    settings.properties.result = take;
    return settings;
}

START_TEST(every_result_comes_once)
{
    static const int ranks[] = {1, 2, 3, 7, 64};

    forest_grow(NODES);
    for (size_t i = 0; i < ARRAY_COUNT(ranks); i++)
        for (uint64_t seed = 0; seed < (stress() ? 200U : 8U); seed++)
            for_terminations(basic(ranks[i], seed));
}

START_TEST(little_memory_stalls_and_cancellations_lose_none)
{
    forest_grow(NODES);
    for (uint64_t seed = 0; seed < (stress() ? 200U : 8U); seed++) {
        struct cluster_settings settings = basic(13, seed);

        settings.properties.results_memory = 1;
        settings.stall_ns = 5 * NSEC_PER_MSEC;
        for_terminations(settings);
        settings.cancel_node = 900;
        for_terminations(settings);
    }
}

SUITE("steal results")
