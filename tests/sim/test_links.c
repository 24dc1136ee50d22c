/* SPDX-License-Identifier: BSD-3-Clause */
/* How messages delay each other on links between nodes, and what ranks lose to slow and disturbed
 * processors. */
#include "tests/lib/suite.h"

#include "tools/steal-sim/links.h"
#include "tools/steal-sim/processors.h"

#include "libjuggle/ground/prng.h"

enum { HEADER = sizeof(struct message), HOP_NS = 100 };

/* ---- links --------------------------------------------------------------------------------- */

/* A machine on which a byte takes a nanosecond and each rank is on a node of its own. */
static struct simulated_machine *machine_of(const char *topology, int ranks)
{
    struct machine_settings settings = {.mapping = {MAPPING_BLOCKS, 1},
                                        .latency_ns = 1000,
                                        .hop_ns = HOP_NS,
                                        .crowded_links = true,
                                        .costs = {.byte_ps = PSEC_PER_NSEC}};
    struct simulated_machine *machine = NULL;
    const char *expected;

    ck_assert_int_eq(topology_parse(topology, &settings.topology, &expected), 0);
    ck_assert_int_eq(machine_open(&settings, ranks, &machine), 0);
    return machine;
}

static struct links *links_of(const struct simulated_machine *machine)
{
    struct links *links = NULL;

    ck_assert_int_eq(machine_links(machine, &links), 0);
    ck_assert_ptr_nonnull(links);
    return links;
}

START_TEST(who_wants_a_link_that_is_held_waits)
{
    struct simulated_machine *machine = machine_of("torus:5x4", 20);
    struct links *links = links_of(machine);

    /* One message goes from 0 over 1 to 2, another one from 1 to 2 when the first one has arrived
     * at 1. */
    ck_assert_int_eq(links_wait(links, 0, 2, 1000, 900), 0);
    ck_assert_int_eq(links_wait(links, 1, 2, 1000 + HOP_NS, 0), 900 + HEADER);
    /* The other direction and the other dimension have other links. */
    ck_assert_int_eq(links_wait(links, 2, 0, 1000, 0), 0);
    ck_assert_int_eq(links_wait(links, 0, 4, 1000, 0), 0);
    /* A message that waits at one link comes to the next one later. */
    ck_assert_int_eq(links_wait(links, 0, 2, 1000, 0), 900 + HEADER + HEADER);
    links_close(links);
    machine_close(machine);
}

START_TEST(messages_hold_as_many_links_as_there_are_hops)
{
    static const char *const topologies[] = {"torus:5x4x6", "mesh:4x5x6", "tofu", "torus:120"};
    struct prng prng;

    prng_seed(&prng, 1);
    for (size_t i = 0; i < ARRAY_COUNT(topologies); i++) {
        struct simulated_machine *machine = machine_of(topologies[i], 120);
        struct links *links = links_of(machine);
        int64_t count, held_ns = 0;

        for (int message = 0; message < 1000; message++) {
            const int from = (int)prng_below(&prng, 120), to = (int)prng_below(&prng, 120);

            held_ns += machine_hops(machine, from, to) * (int64_t)HEADER;
            (void)links_wait(links, from, to, 0, 0);
            ck_assert_int_eq(links_held(links, &count), held_ns);
        }
        links_close(links);
        machine_close(machine);
    }
}

START_TEST(only_grids_have_links)
{
    static const char *const topologies[] = {"flat", "tree:4x4", "dragonfly:2x4"};

    for (size_t i = 0; i < ARRAY_COUNT(topologies); i++) {
        struct simulated_machine *machine = machine_of(topologies[i], 40);
        struct links *links = NULL;

        ck_assert_int_eq(machine_links(machine, &links), 0);
        ck_assert_ptr_null(links);
        machine_close(machine);
    }
}

/* ---- processors ---------------------------------------------------------------------------- */

static struct processors *processors_of(struct os_noise noise, struct stragglers stragglers,
                                        int ranks, uint64_t seed)
{
    struct processors *processors = NULL;

    ck_assert_int_eq(processors_open(&noise, &stragglers, ranks, seed, &processors), 0);
    return processors;
}

START_TEST(undisturbed_processors_are_none)
{
    ck_assert_ptr_null(processors_of((struct os_noise){0}, (struct stragglers){0}, 10, 1));
    ck_assert_ptr_null(processors_of((struct os_noise){0}, (struct stragglers){1, 1}, 10, 1));
    ck_assert_int_eq(processors_finish(NULL, 3, 100, 50), 150);
}

START_TEST(the_operating_system_takes_its_share_of_each_period)
{
    enum { RANKS = 50, PERIOD_NS = 1000, OWN_NS = 900 };
    struct processors *processors = processors_of((struct os_noise){0.1, PERIOD_NS},
                                                  (struct stragglers){0}, RANKS, 7);
    struct prng prng;

    prng_seed(&prng, 2);
    for (int i = 0; i < 100000; i++) {
        const int rank = (int)prng_below(&prng, RANKS);
        const int64_t begin_ns = (int64_t)prng_below(&prng, 5 * PERIOD_NS);
        const int64_t first_ns = 1 + (int64_t)prng_below(&prng, 3 * PERIOD_NS);
        const int64_t second_ns = 1 + (int64_t)prng_below(&prng, 3 * PERIOD_NS);
        const int64_t middle_ns = processors_finish(processors, rank, begin_ns, first_ns);
        const int64_t end_ns = processors_finish(processors, rank, middle_ns, second_ns);
        const int64_t periods = (first_ns + second_ns) / OWN_NS;

        ck_assert_int_eq(processors_finish(processors, rank, begin_ns, first_ns + second_ns),
                         end_ns);
        ck_assert_int_eq(processors_finish(processors, rank, begin_ns + PERIOD_NS, first_ns),
                         middle_ns + PERIOD_NS);
        ck_assert_int_ge(end_ns - begin_ns, first_ns + second_ns);
        ck_assert_int_le(end_ns - begin_ns,
                         first_ns + second_ns + (periods + 1) * (PERIOD_NS - OWN_NS));
    }
    processors_close(processors);
}

/* Returns the slow ranks: bit r is rank r. */
static uint64_t slow_ones(uint64_t seed)
{
    struct processors *processors = processors_of((struct os_noise){0},
                                                  (struct stragglers){0.25, 1.5}, 40, seed);
    uint64_t slow = 0;

    for (int rank = 0; rank < 40; rank++) {
        const int64_t took_ns = processors_finish(processors, rank, 100, 1000) - 100;

        ck_assert(took_ns == 1000 || took_ns == 1500);
        slow |= (uint64_t)(took_ns == 1500) << rank;
    }
    processors_close(processors);
    return slow;
}

START_TEST(as_many_ranks_are_slow_as_were_asked_for)
{
    uint64_t ever = 0;

    for (uint64_t seed = 0; seed < 100; seed++) {
        ck_assert_int_eq(__builtin_popcountll(slow_ones(seed)), 10);
        ck_assert_uint_eq(slow_ones(seed), slow_ones(seed));
        ever |= slow_ones(seed);
    }
    ck_assert_uint_eq(ever, (UINT64_C(1) << 40) - 1);
}

SUITE("links")
