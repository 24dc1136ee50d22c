/* SPDX-License-Identifier: BSD-3-Clause */
/* For builds without hwloc, which support no recorded or synthetic machines. */
#include "libjuggle/linux/topology.h"
#include "libjuggle/linux/topology_table.h"

#include <errno.h>

bool topology_hwloc_is_requested(void)
{
    return false;
}

void topology_spare_plugins(void)
{
}

int topology_hwloc_read(struct topology_table *table)
{
    (void)table;
    return -ENODATA;
}
