/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the ranks are: their nodes, and the distance between two ranks. To a rank of another node,
 * all ranks of a node have the same distance. A distance has no unit; 0 is the least.
 */
#ifndef JUGGLE_STEAL_PROTOCOL_PLACES_H
#define JUGGLE_STEAL_PROTOCOL_PLACES_H

#include <stddef.h>
#include <stdint.h>

enum { DIMENSIONS_MAX = 6 };

struct alias;

struct places {
    int ranks;
    int nodes;
    const int32_t *node;   /* node of each rank */
    const int32_t *host;   /* host of each rank; its ranks share memory. NULL: as `node` */
    const int32_t *first;  /* where each node's ranks begin in `member`; then their number */
    const int32_t *member; /* all ranks, node by node */
    /* Distance between two ranks. All ranks of a node have the same distance to a rank of another
     * node. */
    double (*distance)(const struct places *places, int from, int to);
    /* The data that the distance function uses. */
    int dimensions;
    int extent[DIMENSIONS_MAX]; /* of a torus or a tree */
    const int32_t *coordinates; /* `dimensions` for each rank */
    const float *latency;       /* `dimensions` for each node: to the landmarks */
    const int32_t *landmark;    /* for each node, which landmark it is, or -1 */
    /* Tables of skewed_tabulate(), if ranks share memory; NULL: each rank makes its own. */
    const struct alias *skewed;
    size_t skewed_stride; /* entries from one node's table to the next */
};

static inline int places_members(const struct places *places, int node)
{
    return places->first[node + 1] - places->first[node];
}

/* Fills `first`, which has one more entry than there are nodes, and `member`, from the node of each
 * rank. */
void places_group(const int32_t *node, int ranks, int nodes, int32_t *first, int32_t *member);

/* 0 within a node, 16 between nodes. */
double distance_by_node(const struct places *places, int from, int to);

/* Distance by shared hardware: `coordinates` of each rank are the last cache and the package that
 * it is bound to; -1: to no single one. */
double distance_by_cache(const struct places *places, int from, int to);

/* Euclidean distance between the coordinates of each rank (victim selection paper, section 4). */
double distance_by_coordinates(const struct places *places, int from, int to);

/* Hops in a torus of `extent`, in which nodes are numbered along the last dimension first. */
double distance_in_torus(const struct places *places, int from, int to);

/* Hops up and down a tree of switches: extent[0] nodes at one switch, extent[1] of these switches
 * at the next. */
double distance_in_tree(const struct places *places, int from, int to);

/* Distance by latencies to landmarks: exact if one of the two nodes is a landmark, otherwise the
 * middle between the least and the greatest value that the triangle inequality allows. */
double distance_by_latency(const struct places *places, int from, int to);

#endif
