/* SPDX-License-Identifier: BSD-3-Clause */
/* Capacity says how fast the processors of a machine are: as the user wants it, or by the first of
 * several sources that knows of every processor, makes sense and tells of a difference.
 *
 *   cpu_capacity  the kernel's own measure, which its scheduler goes by
 *   acpi_cppc     the highest performance that the firmware names, on one scale for all processors;
 *                 not of AMD, where it ranks equal cores by whom to use first
 *   cpufreq       the highest frequencies: they say nothing of what a cycle does
 *   hwloc         what the topology tells of kinds of processors; the only source for a machine
 *                 that is recorded or made up
 *
 * One that says that all are equal may just not look, so that the next one is asked, too, and rates
 * stay unknown if none tells of a difference: the policy may learn it. Rates are relative to the
 * fastest processor. What differs by less than a tenth is of one kind, and more
 * than twentyfold is no machine but a mistake. */
#ifndef JUGGLE_LINUX_CAPACITY_H
#define JUGGLE_LINUX_CAPACITY_H

#include "libjuggle/linux/topology.h"

enum { CAPACITY_TEXT_SIZE = 512 };

struct capacity {
    const char *source; /* "cpu_capacity"; "list" or "equal" if the user says so; "none" */
    char speeds[CAPACITY_TEXT_SIZE];   /* see capacity_describe; empty if unknown */
    char problems[CAPACITY_TEXT_SIZE]; /* of sources that were not taken; empty if there are none */
};

/* Sets the rates of the machine. `wish` is "auto" (or NULL), "equal" or a list as rates_parse takes
 * it, in the order of the kernel's numbers and repeated up to the last; a factor of siblings alone
 * leaves speeds to the sources. Nothing that these say makes this fail: rates then stay unknown.
 * -EINVAL, -ERANGE: as rates_parse. */
int capacity_set(const char *wish, int sys_fd, const struct topology_speeds *speeds,
                 struct machine *machine, struct capacity *capacity) MUST_CHECK;

/* "cpu 0-3 1, cpu 4-7 0.6, 0.62 beside a busy sibling": what is known of the machine. What
 * there is no room for is told as "...". */
void capacity_describe(const struct machine *machine, char text[CAPACITY_TEXT_SIZE]);

#endif
