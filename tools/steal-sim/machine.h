/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine for virtual ranks: its nodes, how they are linked, which ranks are on them, and what
 * messages between them cost. */
#ifndef JUGGLE_STEAL_SIM_MACHINE_H
#define JUGGLE_STEAL_SIM_MACHINE_H

#include "libjuggle/steal/protocol/places.h"
#include "tools/steal-sim/network.h"

#include <stdbool.h>

enum topology_kind {
    TOPOLOGY_FLAT,      /* any two nodes are one hop apart */
    TOPOLOGY_TREE,      /* switches: extent[0] nodes at one, extent[1] of these at the next, and one
                           above */
    TOPOLOGY_GRID,      /* a torus or a mesh in each dimension, the last one's nodes in a row */
    TOPOLOGY_DRAGONFLY, /* extent[0] nodes at a router, extent[1] routers in a group */
};

struct topology {
    enum topology_kind kind;
    int dimensions;
    int extent[DIMENSIONS_MAX]; /* 0: as it takes for all nodes, near a cube with the other zeros */
    bool wraps[DIMENSIONS_MAX]; /* of a grid: a torus in this dimension */
};

/* Cubes of 2x3x2 nodes with a ring of three in the middle. The cubes of a job are a box out of a
 * torus, and so a mesh. */
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
    int64_t hop_ns;     /* for each hop more */
    struct network_costs costs;
    bool crowded_links; /* of a grid; others never are */
};

struct simulated_machine;

/* "flat", "tree:AxB", "torus:AxBxC", "mesh:AxBxC", "tofu" (a mesh of any three extents, of cubes of
 * 2x3x2) or "dragonfly:AxB". -EINVAL; *expected then says what would have been right. */
int topology_parse(const char *text, struct topology *topology, const char **expected) MUST_CHECK;

/* "1/N" (one rank a node), "8G" or "8RR" (blocks of eight, or eight dealt round robin), "blocks"
 * (blocks of as many as there were). -EINVAL as above. */
int mapping_parse(const char *text, struct rank_mapping *mapping, const char **expected) MUST_CHECK;

/* -ERANGE if a grid has fewer nodes than the ranks need; -ENOMEM. */
int machine_open(const struct machine_settings *settings, int ranks,
                 struct simulated_machine **machine) MUST_CHECK;

/* Accepts NULL. */
void machine_close(struct simulated_machine *machine);

/* The nodes that `ranks` ranks need. */
int machine_nodes(const struct machine_settings *settings, int ranks);

/* The places of its ranks: the distance is Euclidean in a grid, hops in a tree. */
const struct places *machine_places(const struct simulated_machine *machine);

/* Hops between the nodes of two ranks, 0 if it is the same. */
int machine_hops(const struct simulated_machine *machine, int from, int to);

/* Fills in what the network is to know of it: ranks, latencies, costs and places. */
void machine_describe(const struct simulated_machine *machine, struct network_settings *settings);

/* Its links, fresh, for one network: NULL where they are never crowded. -ENOMEM. To be freed by
 * links_close(). */
int machine_links(const struct simulated_machine *machine, struct links **links) MUST_CHECK;

#endif
