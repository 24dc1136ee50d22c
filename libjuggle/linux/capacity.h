/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds how fast the processors of a machine are. The user says it, or it comes from the first of
 * several sources that has a plausible value for every processor and shows a difference.
 *
 *   cpu_capacity    the kernel's own measure, which its scheduler goes by
 *   acpi_cppc       the highest performance that the firmware names, on one scale for all
 *                   processors; not used on AMD and Hygon, where it ranks equal cores
 *   cpufreq         the highest frequencies, which do not show how much a cycle does
 *   base_frequency  the base frequencies, with the same limitation
 *   hwloc           what the topology tells of kinds of processors; the only source for a
 *                   machine that is recorded or made up
 *
 * A source that shows equal processors may not have looked, so the next one is asked, too. If no
 * source shows a difference, rates stay unknown: the policy may learn them. Rates are relative to
 * the fastest processor. Processors that differ by less than a tenth are of one kind; a difference
 * of more than twentyfold is taken for a mistake. */
#ifndef JUGGLE_LINUX_CAPACITY_H
#define JUGGLE_LINUX_CAPACITY_H

#include "libjuggle/linux/topology.h"

enum { CAPACITY_TEXT_SIZE = 512 };

struct capacity {
    const char *source; /* "cpu_capacity"; "list" or "equal" if the user says so; "none" */
    char speeds[CAPACITY_TEXT_SIZE];   /* see capacity_describe; empty if unknown */
    char problems[CAPACITY_TEXT_SIZE]; /* why sources could not be used; may be empty */
};

/* Sets the rates of the machine. `wish` is "auto" (or NULL), "equal" or a list for rates_parse, in
 * the order of the kernel's processor numbers and repeated up to the last processor. If the list
 * holds only the factor of busy siblings, the speeds come from the sources. No source makes this
 * fail: at worst rates stay unknown. Returns -EINVAL or -ERANGE as rates_parse does, or -ENOMEM. */
int capacity_set(const char *wish, int sys_fd, const struct topology_speeds *speeds,
                 struct machine *machine, struct capacity *capacity) MUST_CHECK;

/* Writes what is known of the machine, such as "cpu 0-3 1, cpu 4-7 0.6, 0.62 beside a busy
 * sibling". Processors for which there is no room are replaced by "...". */
void capacity_describe(const struct machine *machine, char text[CAPACITY_TEXT_SIZE]);

#endif
