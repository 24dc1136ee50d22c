/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines for virtual ranks: where ranks are, how far apart, and what messages cost. */
#include "tests/lib/suite.h"

#include "tests/sim/cluster.h"
#include "tools/steal-sim/machine.h"
#include "tools/steal-sim/presets.h"

#include "libjuggle/ground/units.h"

#include <errno.h>
#include <string.h>

/* A machine with one rank on each node. */
static struct simulated_machine *machine_of(const char *topology, int ranks)
{
    struct machine_settings settings = {
        .mapping = {MAPPING_BLOCKS, 1}, .latency_ns = 1000, .hop_ns = 100};
    struct simulated_machine *machine = NULL;
    const char *expected;

    ck_assert_int_eq(topology_parse(topology, &settings.topology, &expected), 0);
    ck_assert_int_eq(machine_open(&settings, ranks, &machine), 0);
    return machine;
}

static void expect_hops(const char *topology, int ranks, int from, int to, int hops)
{
    struct simulated_machine *machine = machine_of(topology, ranks);

    ck_assert_msg(machine_hops(machine, from, to) == hops, "%s: %d hops from %d to %d, not %d",
                  topology, machine_hops(machine, from, to), from, to, hops);
    ck_assert_int_eq(machine_hops(machine, to, from), hops);
    machine_close(machine);
}

START_TEST(hops_are_those_of_the_topology)
{
    expect_hops("flat", 100, 3, 99, 1);
    expect_hops("tree:4x4", 100, 0, 3, 2);
    expect_hops("tree:4x4", 100, 0, 4, 4);
    expect_hops("tree:4x4", 100, 0, 16, 6);
    expect_hops("torus:5x4", 20, 0, 19, 2); /* one hop back in each dimension */
    expect_hops("mesh:5x4", 20, 0, 19, 7);
    expect_hops("torus:5x4", 20, 1, 3, 2);
    expect_hops("dragonfly:2x4", 64, 0, 1, 1);
    expect_hops("dragonfly:2x4", 64, 0, 7, 2);
    expect_hops("dragonfly:2x4", 64, 0, 8, 4);
    /* Coordinates 0,0,0,0,0,0 and 0,0,0,1,2,1: the ring of three is one hop around. */
    expect_hops("tofu", 96, 0, 11, 3);
    /* Eight cubes make a cube of cubes; its ends are three apart in these dimensions, too. */
    expect_hops("tofu", 96, 0, 95, 6);
}

START_TEST(free_extents_grow_until_all_nodes_have_a_place)
{
    for (int ranks = 1; ranks < 3000; ranks += 97) {
        struct simulated_machine *machine = machine_of("tofu", ranks);

        ck_assert_int_eq(machine_places(machine)->nodes, ranks);
        for (int rank = 1; rank < ranks; rank++)
            ck_assert_int_gt(machine_hops(machine, rank - 1, rank), 0);
        machine_close(machine);
    }
}

static void expect_nodes(const char *mapping, int ranks, int a, int b, int c)
{
    struct machine_settings settings = {.mapping = {MAPPING_BLOCKS, 4}};
    struct simulated_machine *machine = NULL;
    const char *expected;

    ck_assert_int_eq(mapping_parse(mapping, &settings.mapping, &expected), 0);
    ck_assert_int_eq(machine_open(&settings, ranks, &machine), 0);
    ck_assert_int_eq(machine_places(machine)->node[1], a);
    ck_assert_int_eq(machine_places(machine)->node[4], b);
    ck_assert_int_eq(machine_places(machine)->node[ranks - 1], c);
    machine_close(machine);
}

START_TEST(ranks_are_on_the_nodes_of_the_mapping)
{
    expect_nodes("1/N", 64, 1, 4, 63);
    expect_nodes("8G", 64, 0, 0, 7);
    expect_nodes("8RR", 64, 1, 4, 7);
    expect_nodes("blocks", 64, 0, 1, 15);
    expect_nodes("8G", 65, 0, 0, 8);
}

START_TEST(what_is_no_machine_is_refused)
{
    static const char *const topologies[] = {"",           "ring",    "torus:",      "torus:0x3",
                                             "torus:3x",   "tree",    "dragonfly:4", "torus:3x4y",
                                             "torus:-1x2", "tofu:2x2"};
    static const char *const mappings[] = {"", "G", "8", "0G", "8X", "2/N", "-1G", "8RRR"};
    struct machine_settings settings = {.mapping = {MAPPING_BLOCKS, 1}};
    struct simulated_machine *machine = NULL;

    for (size_t i = 0; i < ARRAY_COUNT(topologies); i++) {
        const char *expected = NULL;

        ck_assert_int_eq(topology_parse(topologies[i], &settings.topology, &expected), -EINVAL);
        ck_assert_ptr_nonnull(expected);
    }
    for (size_t i = 0; i < ARRAY_COUNT(mappings); i++) {
        const char *expected = NULL;

        ck_assert_int_eq(mapping_parse(mappings[i], &settings.mapping, &expected), -EINVAL);
        ck_assert_ptr_nonnull(expected);
    }
    settings.topology = (struct topology){.kind = TOPOLOGY_GRID, .dimensions = 1, .extent = {7}};
    ck_assert_int_eq(machine_open(&settings, 8, &machine), -ERANGE);
    ck_assert_ptr_null(machine);
}

/* ---- costs --------------------------------------------------------------------------------- */

enum { HEADER = sizeof(struct message) };

/* A network of two nodes with two ranks each. */
static struct network *network_with(const struct network_costs *costs,
                                    struct simulated_machine **machine)
{
    const struct machine_settings settings = {.topology = {.kind = TOPOLOGY_FLAT},
                                              .mapping = {MAPPING_BLOCKS, 2},
                                              .local_ns = 100,
                                              .latency_ns = 1000,
                                              .costs = *costs};
    struct network_settings described = {0};
    struct network *network = NULL;

    ck_assert_int_eq(machine_open(&settings, 4, machine), 0);
    machine_describe(*machine, &described);
    ck_assert_int_eq(network_open(&described, &network), 0);
    return network;
}

static void send(struct network *network, int from, int to, uint32_t count)
{
    struct transport *transport = network_endpoint(network, from);
    const struct message message = {.peer = to, .count = count};

    ck_assert_int_eq(transport->ops->send(transport, &message, 0), 0);
}

/* Expects that the next turn is this rank's, at this time. */
static void expect_turn(struct network *network, int rank, int64_t time_ns)
{
    int next = -1;

    ck_assert_int_eq(network_next(network, &next), 1);
    ck_assert_int_eq(next, rank);
    ck_assert_int_eq(network_now(network), time_ns);
}

static uint32_t receive(struct network *network, int rank)
{
    struct transport *transport = network_endpoint(network, rank);
    struct message message;
    const void *tasks;

    return transport->ops->receive(transport, 0, &message, &tasks) > 0 ? message.count : 0;
}

static void network_done(struct network *network, struct simulated_machine *machine)
{
    for (int rank = 0; rank < 4; rank++) {
        struct transport *transport = network_endpoint(network, rank);

        transport->ops->close(transport);
    }
    network_close(network);
    machine_close(machine);
}

START_TEST(messages_cost_both_processors)
{
    const struct network_costs costs = {.send_ns = 10, .receive_ns = 20, .poll_ns = 5};
    struct simulated_machine *machine;
    struct network *network = network_with(&costs, &machine);

    ck_assert_int_eq(network_wake(network, 0, 50), 0);
    expect_turn(network, 0, 50);
    send(network, 0, 2, 1);
    send(network, 0, 2, 2);
    ck_assert_int_eq(network_clock(network, 0), 70);
    expect_turn(network, 2, 1060);
    ck_assert_uint_eq(receive(network, 2), 1);
    ck_assert_uint_eq(receive(network, 2), 0);
    ck_assert_int_eq(network_clock(network, 2), 1085);
    /* The second message came at 1,070, when the rank was busy. */
    expect_turn(network, 2, 1085);
    ck_assert_uint_eq(receive(network, 2), 2);
    network_done(network, machine);
}

START_TEST(messages_queue_at_both_interfaces)
{
    const struct network_costs costs = {.gap_ns = 100};
    struct simulated_machine *machine;
    struct network *network = network_with(&costs, &machine);

    ck_assert_int_eq(network_wake(network, 0, 0), 0);
    expect_turn(network, 0, 0);
    send(network, 0, 2, 1);
    send(network, 0, 3, 2);
    send(network, 0, 1, 3); /* stays within the node, so it does not pass the interface */
    expect_turn(network, 1, 100);
    expect_turn(network, 2, 1000);
    expect_turn(network, 3, 1100);
    send(network, 3, 0, 4);
    send(network, 2, 1, 5);
    expect_turn(network, 0, 2100);
    expect_turn(network, 1, 2200);
    network_done(network, machine);
}

/* Ranks 0 and 2 are on two nodes, and messages of both reach rank 4 on a third node at once. */
START_TEST(the_interface_of_the_receiver_lets_one_pass_after_the_other)
{
    const struct machine_settings settings = {.topology = {.kind = TOPOLOGY_FLAT},
                                              .mapping = {MAPPING_BLOCKS, 1},
                                              .latency_ns = 1000,
                                              .costs = {.gap_ns = 100}};
    struct network_settings described = {0};
    struct simulated_machine *machine = NULL;
    struct network *network = NULL;

    ck_assert_int_eq(machine_open(&settings, 4, &machine), 0);
    machine_describe(machine, &described);
    ck_assert_int_eq(network_open(&described, &network), 0);
    for (int rank = 0; rank < 3; rank++)
        ck_assert_int_eq(network_wake(network, rank, 7), 0);
    for (int rank = 0; rank < 3; rank++) {
        expect_turn(network, rank, 7);
        send(network, rank, 3, (uint32_t)rank + 1);
    }
    for (int rank = 0; rank < 3; rank++) {
        expect_turn(network, 3, 1007 + 100 * rank);
        ck_assert_uint_eq(receive(network, 3), (uint32_t)rank + 1);
    }
    network_done(network, machine);
}

START_TEST(bytes_take_the_time_of_the_bandwidth)
{
    const struct network_costs costs = {.byte_ps = 2000, .local_byte_ps = 1000};
    struct simulated_machine *machine;
    struct network *network = network_with(&costs, &machine);
    struct transport *transport = network_endpoint(network, 0);
    const struct message message = {.peer = 2};

    ck_assert_int_eq(network_wake(network, 0, 0), 0);
    expect_turn(network, 0, 0);
    ck_assert_ptr_nonnull(transport->ops->room(transport));
    memset(transport->ops->room(transport), 0, 1000);
    ck_assert_int_eq(transport->ops->send(transport, &message, 1000), 0);
    send(network, 0, 1, 1);
    expect_turn(network, 1, 100 + HEADER);
    expect_turn(network, 2, 1000 + 2 * (1000 + HEADER));
    network_done(network, machine);
}

START_TEST(who_computes_hears_afterwards)
{
    const struct network_costs costs = {0};
    struct simulated_machine *machine;
    struct network *network = network_with(&costs, &machine);

    ck_assert_int_eq(network_wake(network, 0, 0), 0);
    ck_assert_int_eq(network_wake(network, 2, 500), 0);
    expect_turn(network, 0, 0);
    send(network, 0, 2, 1);
    expect_turn(network, 2, 500);
    network_compute(network, 2, 4000);
    expect_turn(network, 2, 4500);
    ck_assert_uint_eq(receive(network, 2), 1);
    network_done(network, machine);
}

/* ---- the library on machines --------------------------------------------------------------- */

static struct cluster_result walk(const struct simulated_machine *machine,
                                  const struct preset *preset, uint64_t seed)
{
    const struct cluster_settings settings = {
        .ranks = 100,
        .seed = seed,
        .machine = machine,
        .jitter_ns = seed % 2 ? 5 * NSEC_PER_USEC : 0,
        .task_ns = preset->visit_ns,
        .rounds = 1,
        .properties = {.victim = (enum steal_victim)(seed % 4),
                       .termination = (enum steal_termination)(seed % 3),
                       .lifelines = seed % 5 == 4 ? 7 : 0},
    };
    struct cluster_result result;
    const char *wrong = cluster_run(&settings, &result);

    ck_assert_msg(!wrong, "%s, seed %lu: %s", preset->name, (unsigned long)seed, wrong);
    ck_assert_int_eq(result.visited, forest.nodes);
    return result;
}

START_TEST(trees_are_walked_on_every_machine)
{
    forest_grow(20000);
    for (const struct preset *preset = presets; preset->name; preset++) {
        struct simulated_machine *machine = NULL;

        ck_assert_ptr_eq(preset_find(preset->name), preset);
        ck_assert_int_eq(machine_open(&preset->machine, 100, &machine), 0);
        for (uint64_t seed = 0; seed < 10; seed++) {
            const struct cluster_result a = walk(machine, preset, seed);
            const struct cluster_result b = walk(machine, preset, seed);

            ck_assert_mem_eq(&a, &b, sizeof(a));
        }
        machine_close(machine);
    }
    ck_assert_ptr_null(preset_find("abacus"));
}

SUITE("machine")
