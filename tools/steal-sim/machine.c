/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/machine.h"

#include "tools/steal-sim/links.h"

#include <errno.h>
#include <stdlib.h>

struct simulated_machine {
    struct machine_settings settings; /* extents that were 0 are chosen */
    struct places places;
    int32_t *node;       /* of each rank */
    int32_t *first;      /* of each node: the index of its first rank in `member` */
    int32_t *member;     /* all ranks, node by node */
    int32_t *coordinate; /* of a grid: `dimensions` coordinates of each rank */
    int hops_least;      /* between two different nodes */
};

/* ---- topology ------------------------------------------------------------------------------ */

static int64_t topology_nodes(const struct topology *topology)
{
    int64_t nodes = 1;

    if (topology->kind != TOPOLOGY_GRID)
        return INT32_MAX;
    for (int i = 0; i < topology->dimensions; i++)
        nodes = min_i64(nodes * topology->extent[i], INT32_MAX);
    return nodes;
}

/* Returns the smallest of the free extents, the last one among equals, or NULL if none is free. */
static int *extent_least(struct topology *topology, const bool *free)
{
    int *least = NULL;

    for (int i = 0; i < topology->dimensions; i++)
        if (free[i] && (!least || topology->extent[i] <= *least))
            least = &topology->extent[i];
    return least;
}

/* Enlarges the extents that were 0 until all nodes have a place. */
static void topology_fit(struct topology *topology, int nodes)
{
    bool free[DIMENSIONS_MAX] = {false};
    int *least;

    for (int i = 0; i < topology->dimensions; i++) {
        free[i] = topology->extent[i] == 0;
        topology->extent[i] += free[i];
    }
    while (topology_nodes(topology) < nodes && (least = extent_least(topology, free)) != NULL)
        ++*least;
}

static int grid_hops(const struct simulated_machine *machine, int from, int to)
{
    const struct topology *topology = &machine->settings.topology;
    const int32_t *a = &machine->coordinate[from * topology->dimensions];
    const int32_t *b = &machine->coordinate[to * topology->dimensions];
    int hops = 0;

    for (int i = 0; i < topology->dimensions; i++) {
        int step = abs(a[i] - b[i]);

        if (topology->wraps[i] && 2 * step > topology->extent[i])
            step = topology->extent[i] - step;
        hops += step;
    }
    return hops;
}

/* One hop at the same router, two within a group, four to another group. */
static int dragonfly_hops(const struct topology *topology, int a, int b)
{
    enum { SAME_ROUTER = 1, SAME_GROUP = 2, OTHER_GROUP = 4 };

    a /= topology->extent[0];
    b /= topology->extent[0];
    if (a == b)
        return SAME_ROUTER;
    return a / topology->extent[1] == b / topology->extent[1] ? SAME_GROUP : OTHER_GROUP;
}

int machine_hops(const struct simulated_machine *machine, int from, int to)
{
    const int a = machine->node[from], b = machine->node[to];

    if (a == b)
        return 0;
    switch (machine->settings.topology.kind) {
    case TOPOLOGY_FLAT:
        return 1;
    case TOPOLOGY_TREE:
        return (int)distance_in_tree(&machine->places, from, to);
    case TOPOLOGY_GRID:
        return grid_hops(machine, from, to);
    case TOPOLOGY_DRAGONFLY:
        return dragonfly_hops(&machine->settings.topology, a, b);
    }
    return 0;
}

static int64_t machine_latency(const void *context, int from, int to)
{
    const struct simulated_machine *machine = context;
    const int hops = machine_hops(machine, from, to);

    if (hops == 0)
        return machine->settings.local_ns;
    return machine->settings.latency_ns + (hops - machine->hops_least) * machine->settings.hop_ns;
}

/* ---- life ---------------------------------------------------------------------------------- */

int machine_nodes(const struct machine_settings *settings, int ranks)
{
    return (ranks - 1) / settings->mapping.ranks_per_node + 1;
}

static void ranks_map(struct simulated_machine *machine)
{
    const struct rank_mapping *mapping = &machine->settings.mapping;
    const int ranks = machine->places.ranks, nodes = machine->places.nodes;

    for (int rank = 0; rank < ranks; rank++)
        machine->node[rank] = mapping->order == MAPPING_BLOCKS ? rank / mapping->ranks_per_node
                                                               : rank % nodes;
    places_group(machine->node, ranks, nodes, machine->first, machine->member);
}

static void ranks_locate(struct simulated_machine *machine)
{
    const struct topology *topology = &machine->settings.topology;

    for (int rank = 0; rank < machine->places.ranks; rank++) {
        int32_t *coordinate = &machine->coordinate[rank * topology->dimensions];
        int index = machine->node[rank];

        for (int i = topology->dimensions - 1; i >= 0; i--) {
            coordinate[i] = index % topology->extent[i];
            index /= topology->extent[i];
        }
    }
}

static void places_fill(struct simulated_machine *machine)
{
    const struct topology *topology = &machine->settings.topology;
    struct places *places = &machine->places;

    places->node = machine->node;
    places->first = machine->first;
    places->member = machine->member;
    places->coordinates = machine->coordinate;
    places->dimensions = topology->dimensions;
    for (int i = 0; i < topology->dimensions; i++)
        places->extent[i] = topology->extent[i];
    places->distance = topology->kind == TOPOLOGY_FLAT   ? distance_by_node
                       : topology->kind == TOPOLOGY_GRID ? distance_by_coordinates
                                                         : distance_in_tree;
}

int machine_open(const struct machine_settings *settings, int ranks, struct simulated_machine **out)
{
    const int nodes = machine_nodes(settings, ranks);
    struct simulated_machine *machine = calloc(1, sizeof(*machine));

    if (!machine)
        return -ENOMEM;
    machine->settings = *settings;
    topology_fit(&machine->settings.topology, nodes);
    if (topology_nodes(&machine->settings.topology) < nodes) {
        machine_close(machine);
        return -ERANGE;
    }
    machine->places.ranks = ranks;
    machine->places.nodes = nodes;
    machine->hops_least = settings->topology.kind == TOPOLOGY_TREE ? 2 : 1;
    machine->node = calloc((size_t)ranks, sizeof(int32_t));
    machine->first = calloc((size_t)nodes + 1, sizeof(int32_t));
    machine->member = calloc((size_t)ranks, sizeof(int32_t));
    machine->coordinate = calloc((size_t)ranks * DIMENSIONS_MAX, sizeof(int32_t));
    if (!machine->node || !machine->first || !machine->member || !machine->coordinate) {
        machine_close(machine);
        return -ENOMEM;
    }
    ranks_map(machine);
    ranks_locate(machine);
    places_fill(machine);
    *out = machine;
    return 0;
}

void machine_close(struct simulated_machine *machine)
{
    if (!machine)
        return;
    free(machine->coordinate);
    free(machine->member);
    free(machine->first);
    free(machine->node);
    free(machine);
}

const struct places *machine_places(const struct simulated_machine *machine)
{
    return &machine->places;
}

int machine_links(const struct simulated_machine *machine, struct links **links)
{
    const struct machine_settings *settings = &machine->settings;

    *links = NULL;
    if (!settings->crowded_links || settings->topology.kind != TOPOLOGY_GRID ||
        settings->costs.byte_ps == 0)
        return 0;
    return links_open(settings, links);
}

void machine_describe(const struct simulated_machine *machine, struct network_settings *settings)
{
    settings->ranks = machine->places.ranks;
    settings->latency_ns = machine_latency;
    settings->context = machine;
    settings->costs = machine->settings.costs;
    settings->places = &machine->places;
}
