/* SPDX-License-Identifier: BSD-3-Clause */
/* A build without libnuma: one node, nothing moves. */
#include "libjuggle/linux/numa_nodes.h"

int numa_nodes_of_cpu(int cpu)
{
    (void)cpu;
    return 0;
}

int numa_nodes_migrate(pid_t pid, const bool from[NUMA_NODES_MAX], int to)
{
    (void)pid;
    (void)from;
    (void)to;
    return 0;
}

const char *numa_nodes_reason(void)
{
    return "this build has no libnuma";
}
