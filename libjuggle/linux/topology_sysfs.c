/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/numa_nodes.h"
#include "libjuggle/linux/sysfs.h"
#include "libjuggle/linux/topology_table.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define CPU_DIRECTORY "devices/system/cpu"

enum { PATH_SIZE = 128 };

int topology_sysfs_siblings(int sys_fd, int cpu, struct cpu_mask *siblings)
{
    char path[PATH_SIZE];

    snprintf(path, sizeof(path), CPU_DIRECTORY "/cpu%d/topology/thread_siblings_list", cpu);
    return sysfs_list_read(sys_fd, path, siblings);
}

/* The first sibling names the core; a kernel without topology files has cores of one thread. */
static int core_read(int sys_fd, int cpu)
{
    struct cpu_mask siblings;

    return topology_sysfs_siblings(sys_fd, cpu, &siblings) ? cpu : cpu_mask_next(&siblings, -1);
}

static void node_apply(int sys_fd, int node, struct topology_table *table)
{
    struct cpu_mask members;

    if (numa_node_processors(sys_fd, node, &members))
        return;
    for (int i = 0; i < table->rows_count; i++)
        if (cpu_mask_has(&members, table->rows[i].os_index))
            table->rows[i].node = node;
}

int topology_sysfs_read(int sys_fd, struct topology_table *table)
{
    struct cpu_mask online, nodes;
    int error = sysfs_list_read(sys_fd, CPU_DIRECTORY "/online", &online);

    if (error)
        return error;
    table->this_system = true;
    table->speed_source = NULL;
    table->rows_count = 0;
    for (int cpu = -1; (cpu = cpu_mask_next(&online, cpu)) >= 0;)
        table->rows[table->rows_count++] = (struct topology_row){
            .os_index = cpu,
            .core = core_read(sys_fd, cpu),
        };

    if (numa_nodes_online(sys_fd, &nodes) == 0)
        for (int node = -1; (node = cpu_mask_next(&nodes, node)) >= 0;)
            node_apply(sys_fd, node, table);
    return 0;
}

/* ---- this system ---- */

static int own_read(struct topology_table *table)
{
    int sys_fd;

    if (sysfs_open(&sys_fd))
        return -ENODATA;
    const int error = topology_sysfs_read(sys_fd, table);
    close(sys_fd);
    return error;
}

int topology_table_read(struct topology_table *table)
{
    if (!topology_hwloc_is_requested() && !own_read(table))
        return 0;
    return topology_hwloc_read(table);
}
