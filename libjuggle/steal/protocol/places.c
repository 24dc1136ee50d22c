/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/steal/protocol/places.h"

#include "libjuggle/ground/units.h"

#include <math.h>

/* About how much longer a message takes than between neighbors. */
static const double WITHIN_PACKAGE = 2, WITHIN_NODE = 4, BETWEEN_NODES = 16;

void places_group(const int32_t *node, int ranks, int nodes, int32_t *first, int32_t *member)
{
    for (int i = 0; i <= nodes; i++)
        first[i] = 0;
    for (int rank = 0; rank < ranks; rank++)
        first[node[rank] + 1]++;
    for (int i = 0; i < nodes; i++)
        first[i + 1] += first[i];
    for (int rank = 0; rank < ranks; rank++)
        member[first[node[rank]]++] = rank;
    for (int i = nodes; i > 0; i--)
        first[i] = first[i - 1];
    first[0] = 0;
}

double distance_by_node(const struct places *places, int from, int to)
{
    return places->node[from] == places->node[to] ? 0 : BETWEEN_NODES;
}

double distance_by_cache(const struct places *places, int from, int to)
{
    const int32_t *a = &places->coordinates[2 * from], *b = &places->coordinates[2 * to];

    if (places->node[from] != places->node[to])
        return BETWEEN_NODES;
    if (a[0] == b[0] && a[0] >= 0)
        return 0;
    return a[1] == b[1] && a[1] >= 0 ? WITHIN_PACKAGE : WITHIN_NODE;
}

double distance_by_coordinates(const struct places *places, int from, int to)
{
    const int32_t *a = &places->coordinates[from * places->dimensions];
    const int32_t *b = &places->coordinates[to * places->dimensions];
    double sum = 0;

    for (int i = 0; i < places->dimensions; i++)
        sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sqrt(sum);
}

double distance_in_torus(const struct places *places, int from, int to)
{
    int a = places->node[from], b = places->node[to];
    int hops = 0;

    for (int i = places->dimensions - 1; i >= 0; i--) {
        int extent = places->extent[i];
        int64_t step = max_i64(a % extent, b % extent) - min_i64(a % extent, b % extent);

        hops += (int)min_i64(step, extent - step);
        a /= extent;
        b /= extent;
    }
    return hops;
}

double distance_in_tree(const struct places *places, int from, int to)
{
    int a = places->node[from], b = places->node[to];
    int hops = 0;

    for (int level = 0; a != b; level++) {
        int extent = level < places->dimensions ? places->extent[level] : places->nodes;

        a /= extent;
        b /= extent;
        hops += 2;
    }
    return hops;
}

double distance_by_latency(const struct places *places, int from, int to)
{
    const int a = places->node[from], b = places->node[to];
    const float *here = &places->latency[a * places->dimensions];
    const float *there = &places->latency[b * places->dimensions];
    double least = 0, most = INFINITY;

    if (a == b)
        return 0;
    if (places->landmark[b] >= 0)
        return here[places->landmark[b]];
    if (places->landmark[a] >= 0)
        return there[places->landmark[a]];
    for (int i = 0; i < places->dimensions; i++) {
        least = fmax(least, fabs((double)here[i] - there[i]));
        most = fmin(most, (double)here[i] + there[i]);
    }
    return (least + most) / 2;
}
