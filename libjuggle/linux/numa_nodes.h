/* SPDX-License-Identifier: BSD-3-Clause */
/* What juggle wants of libnuma; a build without it has one node. */
#ifndef JUGGLE_LINUX_NUMA_NODES_H
#define JUGGLE_LINUX_NUMA_NODES_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/types.h>

enum { NUMA_NODES_MAX = 1024 };

/* The node of a processor by the kernel's number; 0 where there is no NUMA, -1 if it is not
 * known. */
int numa_nodes_of_cpu(int cpu);

/* Moves the pages of a process from the nodes for which `from` is true to another. -ESRCH; -EPERM:
 * not ours. */
int numa_nodes_migrate(pid_t pid, const bool from[NUMA_NODES_MAX], int to) MUST_CHECK;

/* Why no memory comes from another node, where none does. */
const char *numa_nodes_reason(void);

#endif
