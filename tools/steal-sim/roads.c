/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/roads.h"

#include "tools/steal-sim/links.h"

#include <errno.h>
#include <stdlib.h>

/* Returns when a message that comes at `ready_ns` begins to pass; messages pass one at a time. */
static int64_t interface_pass(int64_t *busy_ns, const struct network_costs *costs, int64_t ready_ns,
                              size_t size)
{
    const int64_t begin_ns = max_i64(ready_ns, *busy_ns);

    *busy_ns = begin_ns + max_i64(costs->gap_ns + bytes_ns(size, costs->byte_ps), 1);
    return begin_ns;
}

static int64_t delay(struct roads *roads)
{
    const struct network_settings *settings = roads->settings;
    int64_t time_ns = 0;

    if (settings->jitter_ns > 0)
        time_ns += (int64_t)prng_below(&roads->prng, (uint64_t)settings->jitter_ns + 1);
    if (settings->stall_one_in > 0 &&
        prng_below(&roads->prng, (uint64_t)settings->stall_one_in) == 0)
        time_ns += settings->stall_ns;
    return time_ns;
}

int64_t roads_arrival(struct roads *roads, int from, int to, int64_t ready_ns, size_t size)
{
    const struct network_settings *settings = roads->settings;
    const struct network_costs *costs = &settings->costs;
    const int a = settings->places->node[from], b = settings->places->node[to];
    int64_t time_ns = ready_ns;

    if (a != b && roads->interface)
        time_ns = interface_pass(&roads->interface[a].out_ns, costs, ready_ns, size);
    if (a != b && settings->links)
        time_ns += links_wait(settings->links, a, b, time_ns, size);
    return time_ns + settings->latency_ns(settings->context, from, to) +
           bytes_ns(size, a == b ? costs->local_byte_ps : costs->byte_ps) + delay(roads);
}

bool roads_may_overtake(const struct roads *roads, size_t size)
{
    return size > 0 || roads->settings->jitter_ns > 0 || roads->settings->stall_one_in > 0;
}

int64_t roads_exit(struct roads *roads, int from, int to, int64_t now_ns, size_t size)
{
    const struct network_settings *settings = roads->settings;
    const int32_t *node = settings->places->node;

    if (!roads->interface || node[from] == node[to])
        return now_ns;
    return interface_pass(&roads->interface[node[to]].in_ns, &settings->costs, now_ns, size);
}

/* Interfaces are left out if they cost no time. */
int roads_open(const struct network_settings *settings, struct roads *roads)
{
    const struct network_costs *costs = &settings->costs;

    *roads = (struct roads){.settings = settings};
    prng_seed(&roads->prng, settings->seed);
    if (costs->gap_ns == 0 && costs->byte_ps == 0)
        return 0;
    roads->interface = calloc((size_t)settings->places->nodes, sizeof(*roads->interface));
    return roads->interface ? 0 : -ENOMEM;
}

void roads_close(struct roads *roads)
{
    free(roads->interface);
}
