/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine by sysfs, for builds without hwloc. */
#include "libjuggle/linux/sysfs.h"
#include "libjuggle/linux/topology.h"
#include "libjuggle/linux/topology_table.h"

#include <errno.h>
#include <unistd.h>

const char *const topology_table_source = "sysfs";

void topology_spare_plugins(void)
{
}

int topology_table_read(struct topology_table *table)
{
    int sys_fd;
    int error = sysfs_open(&sys_fd);

    if (error)
        return -ENODATA;
    error = topology_sysfs_read(sys_fd, table);
    close(sys_fd);
    return error;
}
