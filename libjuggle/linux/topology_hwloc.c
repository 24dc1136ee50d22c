/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine by hwloc, which knows of cgroup cpusets and of its HWLOC_* variables. */
#include "libjuggle/linux/topology_table.h"

#include <errno.h>
#include <hwloc.h>

const char *const topology_table_source = "hwloc";

static void row_add(struct topology_table *table, hwloc_topology_t topology, hwloc_obj_t pu)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    int node = hwloc_bitmap_first(pu->nodeset);

    table->rows[table->rows_count++] = (struct topology_row){
        .os_index = (int)pu->os_index,
        .core = (int)(core ? core->logical_index : pu->logical_index),
        .node = node < 0 ? 0 : node,
    };
}

static int table_fill(struct topology_table *table, hwloc_topology_t topology)
{
    hwloc_obj_t pu = NULL;

    table->this_system = hwloc_topology_is_thissystem(topology);
    table->rows_count = 0;
    while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu))) {
        if (pu->os_index >= CPU_MASK_CPUS_MAX || table->rows_count == CPU_MASK_CPUS_MAX)
            return -E2BIG;
        row_add(table, topology, pu);
    }
    return table->rows_count > 0 ? 0 : -ENODATA;
}

int topology_table_read(struct topology_table *table)
{
    hwloc_topology_t topology;
    int error = -ENODATA;

    if (hwloc_topology_init(&topology))
        return -ENOMEM;
    if (hwloc_topology_load(topology) == 0)
        error = table_fill(table, topology);
    hwloc_topology_destroy(topology);
    return error;
}
