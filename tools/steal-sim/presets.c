/* SPDX-License-Identifier: BSD-3-Clause */
/* Each number has its source beside it. We know no publication of the numbers that are "assumed":
 * sweep them before you conclude anything from them (--latency, --hop, --poll-cost and the like).
 *
 * [G] The Gemini network: euroben.nl/reports/web10/xe6.php, by Cray's own numbers: 0.7 to 1.4 us,
 *     8.3 GB/s a direction; two nodes at a router, routers in a three-dimensional torus.
 * [R] The retentive stealing paper, section 6: nodes, processors of a node.
 * [V] The victim selection paper, section 2: nodes of K, the Tofu network; 75 s of T3WL at a
 *     speed-up of about 2,160 make 970,000 nodes a second.
 * [L] The lifeline paper, section 4: 0.54 and 2.7 million nodes a second on one processor.
 * [T] Tofu: en.wikipedia.org/wiki/Torus_fusion: 5 GB/s a direction. */
#include "tools/steal-sim/presets.h"

#include <string.h>

/* Assumed on every machine: the processor time of MPI itself, and the costs within a node. */
enum { SEND_NS = 300, RECEIVE_NS = 300, POLL_NS = 150, GAP_NS = 200, LOCAL_NS = 600 };
enum { LOCAL_BYTE_PS = 250 };

#define MPI_COSTS                                                                       \
    .send_ns = SEND_NS, .receive_ns = RECEIVE_NS, .poll_ns = POLL_NS, .gap_ns = GAP_NS, \
    .local_byte_ps = LOCAL_BYTE_PS

/* [G] The last dimension is the two nodes at a router. */
#define GEMINI                           \
    .topology = {.kind = TOPOLOGY_GRID,  \
                 .dimensions = 4,        \
                 .extent = {0, 0, 0, 2}, \
                 .wraps = {true, true, true}}

#define BLUE_GENE_P                                                                                \
    .machine = {.topology = {.kind = TOPOLOGY_GRID, .dimensions = 3, .wraps = {true, true, true}}, \
                .mapping = {MAPPING_BLOCKS, 4}, /* [R]; all else is assumed, for 0.85 GHz [R] */   \
                .local_ns = 1500,                                                                  \
                .latency_ns = 3000,                                                                \
                .hop_ns = 100,                                                                     \
                .costs = {.send_ns = 1000,                                                         \
                          .receive_ns = 1000,                                                      \
                          .poll_ns = 500,                                                          \
                          .gap_ns = 300,                                                           \
                          .byte_ps = 2600,                                                         \
                          .local_byte_ps = 1000}},                                                 \
    .visit_ns = 1852 /* [L] 0.54 M a second */

const struct preset presets[] = {
    {.name = "cluster",
     .machine = {.topology = {.kind = TOPOLOGY_FLAT},
                 .mapping = {MAPPING_BLOCKS, 16},
                 .local_ns = LOCAL_NS,
                 .latency_ns = 2000,
                 .costs = {MPI_COSTS, .byte_ps = 100}},
     .visit_ns = 500}, /* of no machine in particular: all assumed */
    {.name = "hopper", /* Cray XE6 */
     .machine = {GEMINI, .mapping = {MAPPING_BLOCKS, 24},  /* [R] */
                 .local_ns = LOCAL_NS, .latency_ns = 1400, /* [G] */
                 .hop_ns = 100,                            /* assumed */
                 .costs = {MPI_COSTS, .byte_ps = 120}},    /* [G] 8.3 GB/s */
     .visit_ns = 500},                                     /* assumed */
    {.name = "intrepid", BLUE_GENE_P},                     /* of the retentive stealing paper */
    {.name = "titan",                                      /* Cray XK6 */
     .machine = {GEMINI, .mapping = {MAPPING_BLOCKS, 16},  /* [R] */
                 .local_ns = LOCAL_NS, .latency_ns = 1400, /* [G] */
                 .hop_ns = 100,                            /* assumed */
                 .costs = {MPI_COSTS, .byte_ps = 120}},    /* [G] */
     .visit_ns = 500},                                     /* assumed */
    {.name = "k",                                          /* the K computer */
     .machine = {.topology = TOPOLOGY_TOFU,                /* [V] cubes of 12 nodes */
                 .mapping = {MAPPING_BLOCKS, 8},           /* [V] 8G */
                 .local_ns = LOCAL_NS,
                 .latency_ns = 2000,                    /* assumed */
                 .hop_ns = 100,                         /* assumed */
                 .costs = {MPI_COSTS, .byte_ps = 200}}, /* [T] 5 GB/s */
     .visit_ns = 1031},                                 /* [V] 970,000 a second */
    {.name = "bgp", BLUE_GENE_P},                       /* of the lifeline paper */
    {.name = "p7", /* Power7 with Infiniband, of the lifeline paper */
     .machine = {.topology = {.kind = TOPOLOGY_TREE, .dimensions = 2, .extent = {18, 18}},
                 .mapping = {MAPPING_BLOCKS, 32}, /* assumed, as is all else */
                 .local_ns = LOCAL_NS,
                 .latency_ns = 1500,
                 .hop_ns = 100,
                 .costs = {MPI_COSTS, .byte_ps = 300}},
     .visit_ns = 370}, /* [L] 2.7 M a second */
    {0},
};

const struct preset *preset_find(const char *name)
{
    for (const struct preset *preset = presets; preset->name; preset++)
        if (strcmp(preset->name, name) == 0)
            return preset;
    return NULL;
}
