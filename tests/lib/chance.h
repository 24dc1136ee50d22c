/* SPDX-License-Identifier: BSD-3-Clause */
/* Random tests of properties that always hold: a test runs once with each of many seeds, and
 * names the seed with which it fails. SEEDS=FIRST-LAST runs these seeds again. */
#ifndef JUGGLE_TESTS_CHANCE_H
#define JUGGLE_TESTS_CHANCE_H

#include "tests/lib/suite.h"

#include "libjuggle/ground/prng.h"

static struct {
    uint64_t seed;
    struct prng prng;
} chance;

static inline int64_t below(int64_t bound)
{
    return (int64_t)prng_below(&chance.prng, (uint64_t)bound);
}

/* Both ends are possible. */
static inline int64_t between(int64_t low, int64_t high)
{
    return low + below(high - low + 1);
}

static inline bool one_in(int64_t count)
{
    return below(count) == 0;
}

#define ALWAYS(condition) REQUIRE(condition, "seed %" PRIu64 ": not " #condition, chance.seed)

static inline void live_with_seeds(uint64_t count, void (*live)(void))
{
    const struct seeds seeds = seeds_wanted(0, stress() ? 20 * count : count);

    for (chance.seed = seeds.first; chance.seed <= seeds.last; chance.seed++) {
        prng_seed(&chance.prng, chance.seed);
        live();
    }
}

#endif
