/* SPDX-License-Identifier: BSD-3-Clause */
/* NUMA nodes: which processors they have, and moving pages from one to another. */
#ifndef JUGGLE_LINUX_NUMA_NODES_H
#define JUGGLE_LINUX_NUMA_NODES_H

#include "libjuggle/linux/cpu_mask.h"

#include <sys/types.h>

enum { NUMA_NODES_MAX = 1024 }; /* the kernel has no more */

/* Reads the online nodes from a tree like /sys. -ENODATA: a kernel without NUMA has none. */
int numa_nodes_online(int sys_fd, struct cpu_mask *nodes) MUST_CHECK;
/* Reads the processors of a node. -ENODATA: it has memory alone. */
int numa_node_processors(int sys_fd, int node, struct cpu_mask *processors) MUST_CHECK;

/* Moves the pages of a process from the nodes for which `from` is true to another. -ESRCH; -EPERM:
 * not ours. */
int numa_nodes_migrate(pid_t pid, const bool from[NUMA_NODES_MAX], int to) MUST_CHECK;

#endif
