/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the machine that juggle may use, limited to the processors that are online, allowed and
 * asked for. It comes from sysfs, or from hwloc if an environment variable of hwloc's is set or
 * sysfs cannot be read. */
#ifndef JUGGLE_LINUX_TOPOLOGY_H
#define JUGGLE_LINUX_TOPOLOGY_H

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/ground/machine.h"

struct topology_options {
    const char *cpus;    /* "0-3,8"; NULL for every allowed processor */
    const char *domains; /* "0-3;4-7", processors outside of them are left out; NULL: NUMA nodes */
    bool inter_domain;   /* one domain for all */
    /* What the affinity mask and the cpuset allow; NULL for the caller's own mask. A recorded or
     * synthetic machine (HWLOC_XMLFILE, HWLOC_SYNTHETIC) is not bound by the caller's mask. */
    const struct cpu_mask *allowed;
};

/* What the topology tells of the processors' speed. */
struct topology_speeds {
    bool this_system;                      /* false: the machine is another one than that of /sys */
    const char *source;                    /* "LinuxCapacity"; NULL: it tells nothing */
    double values[MACHINE_PROCESSORS_MAX]; /* in any unit; 0 where nothing is told */
};

/* `speeds` may be NULL. -EINVAL: cpus is not a list; -EDOM: domains is not a list of lists, or they
 * overlap; -ENXIO: one of them names a processor that is not there or not allowed; -E2BIG: more
 * processors or domains than a machine holds; -ENODATA: the topology cannot be read; -ENOMEM. */
int topology_load(const struct topology_options *options, struct machine *machine,
                  struct topology_speeds *speeds) MUST_CHECK;

/* Called by a program that has only one thread, after it has started the processes that inherit its
 * environment. Then reading the topology loads no plugins of hwloc, which are for devices and load
 * the libraries of displays, and hwloc prints nothing by itself, unless its variables ask for
 * it. */
void topology_spare_plugins(void);

/* "hwloc" or "sysfs". */
const char *topology_source(void);

#endif
