/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/steal-sim/message_paths.h"

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

static int64_t delay(struct message_paths *paths)
{
    const struct network_settings *settings = paths->settings;
    int64_t time_ns = 0;

    if (settings->jitter_ns > 0)
        time_ns += (int64_t)prng_below(&paths->prng, (uint64_t)settings->jitter_ns + 1);
    if (settings->stall_one_in > 0 &&
        prng_below(&paths->prng, (uint64_t)settings->stall_one_in) == 0)
        time_ns += settings->stall_ns;
    return time_ns;
}

int64_t message_paths_arrival(struct message_paths *paths, int from, int to, int64_t ready_ns,
                              size_t size)
{
    const struct network_settings *settings = paths->settings;
    const struct network_costs *costs = &settings->costs;
    const int a = settings->places->node[from], b = settings->places->node[to];
    int64_t time_ns = ready_ns;

    if (a != b && paths->interfaces)
        time_ns = interface_pass(&paths->interfaces[a].out_ns, costs, ready_ns, size);
    if (a != b && settings->links)
        time_ns += links_wait(settings->links, a, b, time_ns, size);
    return time_ns + settings->latency_ns(settings->context, from, to) +
           bytes_ns(size, a == b ? costs->local_byte_ps : costs->byte_ps) + delay(paths);
}

bool message_paths_may_overtake(const struct message_paths *paths, size_t size)
{
    return size > 0 || paths->settings->jitter_ns > 0 || paths->settings->stall_one_in > 0;
}

int64_t message_paths_exit(struct message_paths *paths, int from, int to, int64_t now_ns,
                           size_t size)
{
    const struct network_settings *settings = paths->settings;
    const int32_t *node = settings->places->node;

    if (!paths->interfaces || node[from] == node[to])
        return now_ns;
    return interface_pass(&paths->interfaces[node[to]].in_ns, &settings->costs, now_ns, size);
}

/* Interfaces are left out if they cost no time. */
int message_paths_open(const struct network_settings *settings, struct message_paths *paths)
{
    const struct network_costs *costs = &settings->costs;

    *paths = (struct message_paths){.settings = settings};
    prng_seed(&paths->prng, settings->seed);
    if (costs->gap_ns == 0 && costs->byte_ps == 0)
        return 0;
    paths->interfaces = calloc((size_t)settings->places->nodes, sizeof(*paths->interfaces));
    return paths->interfaces ? 0 : -ENOMEM;
}

void message_paths_close(struct message_paths *paths)
{
    free(paths->interfaces);
}
