/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine for virtual ranks: its nodes, their topology, which ranks are on them, and the costs of
 * messages between them. */
#ifndef JUGGLE_STEAL_SIM_MACHINE_H
#define JUGGLE_STEAL_SIM_MACHINE_H

#include "libjuggle/steal/protocol/places.h"
#include "tools/steal-sim/network.h"

#include <stdbool.h>

enum topology_kind {
    TOPOLOGY_FLAT,      /* any two nodes are one hop apart */
    TOPOLOGY_TREE,      /* extent[0] nodes at a switch, extent[1] switches at the next one, and a
                           root above */
    TOPOLOGY_GRID,      /* a torus or a mesh in each dimension; nodes are numbered along the last */
    TOPOLOGY_DRAGONFLY, /* extent[0] nodes at a router, extent[1] routers in a group */
};

struct topology {
    enum topology_kind kind;
    int dimensions;
    int extent[DIMENSIONS_MAX]; /* 0: chosen to hold all nodes, nearly equal to the others chosen */
    bool wraps[DIMENSIONS_MAX]; /* of a grid: it is a torus in this dimension */
};

/* Cubes of 2x3x2 nodes, with a ring of three in the middle dimension. The cubes of a job are a part
 * of a torus, and so form a mesh. */
#define TOPOLOGY_TOFU                                                                    \
    {                                                                                    \
        .kind = TOPOLOGY_GRID, .dimensions = 6, .extent = {0, 0, 0, 2, 3, 2}, .wraps = { \
            [4] = true                                                                   \
        }                                                                                \
    }

enum mapping_order {
    MAPPING_BLOCKS,      /* the first ranks on the first node, ... */
    MAPPING_ROUND_ROBIN, /* the first rank on the first node, the second on the second, ... */
};

struct rank_mapping {
    enum mapping_order order;
    int ranks_per_node;
};

struct machine_settings {
    struct topology topology;
    struct rank_mapping mapping;
    int64_t local_ns;   /* latency within a node */
    int64_t latency_ns; /* between nodes next to each other */
    int64_t hop_ns;     /* for each further hop */
    struct network_costs costs;
    bool crowded_links; /* messages wait for links; only in a grid */
};

struct simulated_machine;

/* Parses "flat", "tree:AxB", "torus:AxBxC", "mesh:AxBxC", "tofu" (a mesh of any three extents, of
 * cubes of 2x3x2) or "dragonfly:AxB". Returns 0 or -EINVAL; *expected says what is valid. */
int topology_parse(const char *text, struct topology *topology, const char **expected) MUST_CHECK;

/* Parses "1/N" (one rank per node), "8G" or "8RR" (eight per node, in blocks or round robin), or
 * "blocks" (blocks, with the number of ranks per node that *mapping has). Errors as above. */
int mapping_parse(const char *text, struct rank_mapping *mapping, const char **expected) MUST_CHECK;

/* Returns 0, -ERANGE if a grid has fewer nodes than the ranks need, or -ENOMEM. */
int machine_open(const struct machine_settings *settings, int ranks,
                 struct simulated_machine **machine) MUST_CHECK;

/* Accepts NULL. */
void machine_close(struct simulated_machine *machine);

/* Returns how many nodes `ranks` ranks need. */
int machine_nodes(const struct machine_settings *settings, int ranks);

/* Returns the places of its ranks. Their distance is Euclidean in a grid, and hops in a tree. */
const struct places *machine_places(const struct simulated_machine *machine);

/* Returns the hops between the nodes of two ranks, 0 if it is the same node. */
int machine_hops(const struct simulated_machine *machine, int from, int to);

/* Fills in the ranks, latencies, costs and places of a network. */
void machine_describe(const struct simulated_machine *machine, struct network_settings *settings);

/* Creates the links for one network, to be freed by links_close(); NULL if messages never wait for
 * links. Returns 0 or -ENOMEM. */
int machine_links(const struct simulated_machine *machine, struct links **links) MUST_CHECK;

#endif
