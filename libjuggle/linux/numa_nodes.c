/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/numa_nodes.h"

#include "libjuggle/linux/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NODE_DIRECTORY "devices/system/node"

enum { PATH_SIZE = 64, WORD_BITS = 8 * sizeof(unsigned long) };

/* Node lists have the form of processor lists. */
int numa_nodes_online(int sys_fd, struct cpu_mask *nodes)
{
    return sysfs_list_read(sys_fd, NODE_DIRECTORY "/online", nodes);
}

int numa_node_processors(int sys_fd, int node, struct cpu_mask *processors)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof(path), NODE_DIRECTORY "/node%d/cpulist", node);
    return sysfs_list_read(sys_fd, path, processors);
}

/* The kernel returns how many pages could not be moved, such as pinned ones, which stay. It reads
 * one bit less than the number of bits that it is given. */
int numa_nodes_migrate(pid_t pid, const bool from[NUMA_NODES_MAX], int to)
{
    unsigned long from_bits[NUMA_NODES_MAX / WORD_BITS] = {0};
    unsigned long to_bits[NUMA_NODES_MAX / WORD_BITS] = {0};

    for (int node = 0; node < NUMA_NODES_MAX; node++)
        from_bits[node / WORD_BITS] |= (unsigned long)from[node] << node % WORD_BITS;
    to_bits[to / WORD_BITS] = 1UL << to % WORD_BITS;
    return syscall(SYS_migrate_pages, pid, NUMA_NODES_MAX + 1UL, from_bits, to_bits) < 0 ? -errno
                                                                                         : 0;
}
