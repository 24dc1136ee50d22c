/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/numa_nodes.h"

#include <errno.h>
#include <numa.h>

int numa_nodes_of_cpu(int cpu)
{
    return numa_available() < 0 ? 0 : numa_node_of_cpu(cpu);
}

int numa_nodes_migrate(pid_t pid, const bool from[NUMA_NODES_MAX], int to)
{
    struct bitmask *from_nodes = numa_allocate_nodemask();
    struct bitmask *to_nodes = numa_allocate_nodemask();
    int error = 0;

    for (int node = 0; node <= numa_max_node() && node < NUMA_NODES_MAX; node++)
        if (from[node])
            numa_bitmask_setbit(from_nodes, (unsigned)node);
    numa_bitmask_setbit(to_nodes, (unsigned)to);
    /* It returns how many pages could not be moved: pinned ones, which stay. */
    if (numa_migrate_pages(pid, from_nodes, to_nodes) < 0)
        error = -errno;
    numa_free_nodemask(to_nodes);
    numa_free_nodemask(from_nodes);
    return error;
}

const char *numa_nodes_reason(void)
{
    return "there is no other NUMA node that memory may come from";
}
