/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the ranks are: nodes, whose ranks are alike to all others, and how far it is between two.
 * A distance has no unit; 0 is as near as can be.
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
    const int32_t *node;   /* of each rank */
    const int32_t *host;   /* the same of those whose memory it shares; NULL: its node's */
    const int32_t *first;  /* of each node: where its ranks begin in `member`; and one more */
    const int32_t *member; /* all ranks, node by node */
    /* Between two ranks. Those of one node have the same distance to a rank of another node. */
    double (*distance)(const struct places *places, int from, int to);
    /* What the distances come from, as the function wants it. */
    int dimensions;
    int extent[DIMENSIONS_MAX]; /* of a torus or a tree */
    const int32_t *coordinates; /* `dimensions` of each rank, or of each node */
    const float *latency;       /* `dimensions` of each node: to the landmarks */
    const int32_t *landmark;    /* of each node: which one it is, or -1 */
    /* What skewed_tabulate() made, where ranks share memory; NULL: each makes its own. */
    const struct alias *skewed;
    size_t skewed_stride; /* from one node's to the next */
};

static inline int places_members(const struct places *places, int node)
{
    return places->first[node + 1] - places->first[node];
}

/* Fills `first`, one more than there are nodes, and `member` from the node of each rank. */
void places_group(const int32_t *node, int ranks, int nodes, int32_t *first, int32_t *member);

/* 0 within a node, a great deal outside. */
double distance_by_node(const struct places *places, int from, int to);

/* `coordinates` of each rank are the shared cache and the package it is bound to, -1: to none. */
double distance_by_cache(const struct places *places, int from, int to);

/* Euclidean, over the coordinates of each rank (victim selection paper, section 4). */
double distance_by_coordinates(const struct places *places, int from, int to);

/* Hops: nodes lie in a torus of `extent`, the last dimension next to each other. */
double distance_in_torus(const struct places *places, int from, int to);

/* Hops up and down a tree of switches: extent[0] nodes at one, extent[1] of these at the next. */
double distance_in_tree(const struct places *places, int from, int to);

/* By the latency to the landmarks: exact to one of them, otherwise between the least and the most
 * that the triangle allows. */
double distance_by_latency(const struct places *places, int from, int to);

#endif
