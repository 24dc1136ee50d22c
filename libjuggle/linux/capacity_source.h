/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of capacities reads one kind of value, for all processors or for none. */
#ifndef JUGGLE_LINUX_CAPACITY_SOURCE_H
#define JUGGLE_LINUX_CAPACITY_SOURCE_H

#include "libjuggle/linux/topology.h"

enum { CAPACITY_PROBLEM_SIZE = 128 };

struct capacity_question {
    int sys_fd; /* -1 if /sys cannot be opened */
    const struct machine *machine;
    const struct topology_speeds *speeds;
};

struct capacity_answer {
    double values[MACHINE_PROCESSORS_MAX]; /* above zero, in any unit */
    char problem[CAPACITY_PROBLEM_SIZE];   /* why there is no answer: "not there" */
};

struct capacity_source {
    const char *name;
    /* The file of each processor in this system's /sys. NULL: the topology tells, also of a machine
     * that is recorded or made up. */
    const char *file;
    /* On some processors this file has different numbers for equal cores, which only say which core
     * to prefer, whichever driver is loaded. */
    bool may_rank;
};

enum { CAPACITY_SOURCES_COUNT = 5 };

/* In the order in which they are tried: the most telling first. */
extern const struct capacity_source capacity_sources[CAPACITY_SOURCES_COUNT];

/* Reads the value of every processor. If one is missing, returns -ENODATA and fills in the
 * problem. */
int capacity_source_read(const struct capacity_source *source,
                         const struct capacity_question *question,
                         struct capacity_answer *answer) MUST_CHECK;

#endif
