/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/links.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

enum { DIRECTIONS = 2 };

#define NODES_MAX (INT64_C(1) << 40)

struct links {
    struct topology topology;
    int64_t hop_ns;
    int64_t byte_ps;
    int64_t nodes;
    int64_t held_ns;
    int64_t busy_ns[]; /* when each is free again, by node, dimension and direction */
};

/* Returns the steps from a to b in a dimension, negative if downwards. */
static int steps(const struct topology *topology, int dimension, int a, int b)
{
    const int extent = topology->extent[dimension];
    const int step = b - a;

    if (!topology->wraps[dimension] || 2 * abs(step) <= extent)
        return step;
    return step > 0 ? step - extent : step + extent;
}

static int64_t *link_of(struct links *links, int64_t node, int dimension, bool down)
{
    return &links->busy_ns[(node * links->topology.dimensions + dimension) * DIRECTIONS + down];
}

/* The head of a message, which has come to `node`. */
struct head {
    int64_t node;
    int64_t time_ns;
    int64_t wait_ns;
};

static void head_pass(struct links *links, struct head *head, int64_t *busy_ns, int64_t pass_ns)
{
    const int64_t begin_ns = max_i64(head->time_ns, *busy_ns);

    *busy_ns = begin_ns + pass_ns;
    links->held_ns += pass_ns;
    head->wait_ns += begin_ns - head->time_ns;
    head->time_ns = begin_ns + links->hop_ns;
}

/* Moves the head by `left` steps along a dimension, whose neighbors are `stride` nodes apart. */
static void head_walk(struct links *links, struct head *head, int dimension, int64_t stride,
                      int left, int64_t pass_ns)
{
    const int extent = links->topology.extent[dimension];
    int place = (int)(head->node / stride % extent);

    for (int k = 0; k < abs(left); k++) {
        const int next = (place + (left < 0 ? extent - 1 : 1)) % extent;

        head_pass(links, head, link_of(links, head->node, dimension, left < 0), pass_ns);
        head->node += (next - place) * stride;
        place = next;
    }
}

int64_t links_wait(struct links *links, int from_node, int to_node, int64_t ready_ns, size_t size)
{
    const struct topology *topology = &links->topology;
    const int64_t pass_ns = bytes_ns(size, links->byte_ps);
    struct head head = {from_node, ready_ns, 0};
    int64_t stride = 1;

    for (int i = topology->dimensions - 1; i >= 0; i--) {
        const int extent = topology->extent[i];
        const int left = steps(topology, i, (int)(from_node / stride % extent),
                               (int)(to_node / stride % extent));

        head_walk(links, &head, i, stride, left, pass_ns);
        stride *= extent;
    }
    return head.wait_ns;
}

int64_t links_held(const struct links *links, int64_t *count)
{
    int64_t dimensions = 0;

    for (int i = 0; i < links->topology.dimensions; i++)
        dimensions += links->topology.extent[i] > 1;
    *count = links->nodes * dimensions * DIRECTIONS;
    return links->held_ns;
}

int links_open(const struct machine_settings *settings, struct links **out)
{
    const struct topology *topology = &settings->topology;
    struct links *links;
    int64_t nodes = 1;
    bool fits = true;

    for (int i = 0; i < topology->dimensions; i++)
        fits &= !__builtin_mul_overflow(nodes, topology->extent[i], &nodes) && nodes < NODES_MAX;
    links = !fits ? NULL
                  : calloc(1, sizeof(*links) + (size_t)(nodes * topology->dimensions * DIRECTIONS) *
                                                   sizeof(links->busy_ns[0]));
    if (!links)
        return -ENOMEM;
    links->topology = *topology;
    links->hop_ns = settings->hop_ns;
    links->byte_ps = settings->costs.byte_ps;
    links->nodes = nodes;
    *out = links;
    return 0;
}

void links_close(struct links *links)
{
    free(links);
}
