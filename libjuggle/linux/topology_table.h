/* SPDX-License-Identifier: BSD-3-Clause */
/* What a topology source fills: one row per processor that is online, in any order; topology_load
 * leaves out what is not allowed. */
#ifndef JUGGLE_LINUX_TOPOLOGY_TABLE_H
#define JUGGLE_LINUX_TOPOLOGY_TABLE_H

#include "libjuggle/linux/cpu_mask.h"

struct topology_row {
    int os_index;
    int core;     /* any number that SMT siblings share and others do not */
    int node;     /* the NUMA node's number */
    double speed; /* as the topology tells it, in `speed_source` units; 0 if it does not */
};

struct topology_table {
    bool this_system;         /* false for a recorded or synthetic machine */
    const char *speed_source; /* NULL: no row has a speed */
    int rows_count;
    struct topology_row rows[CPU_MASK_CPUS_MAX];
};

/* Reads this machine, or the one that hwloc's variables describe. -ENODATA: unreadable; others of
 * topology_hwloc_read. */
int topology_table_read(struct topology_table *table) MUST_CHECK;

/* Reads the machine by hwloc. -ENODATA: this build has no hwloc, or nothing can be read; -E2BIG: it
 * has too many processors; -ENOMEM. */
int topology_hwloc_read(struct topology_table *table) MUST_CHECK;
/* True if an environment variable of hwloc's is set that may make it read another machine. */
bool topology_hwloc_is_requested(void);

/* Reads a tree like /sys: devices/system/cpu and devices/system/node below `sys_fd`. */
int topology_sysfs_read(int sys_fd, struct topology_table *table) MUST_CHECK;

/* Reads the processors of a processor's core, itself included, from such a tree. -ENODATA: not
 * told. */
int topology_sysfs_siblings(int sys_fd, int cpu, struct cpu_mask *siblings) MUST_CHECK;

#endif
