/* SPDX-License-Identifier: BSD-3-Clause */
/* A source of capacities reads one kind of evidence, whole or not at all. */
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
    bool of_any_machine; /* also of one that is recorded or made up */
    /* Every processor's value, or -ENODATA and the problem. */
    int (*read)(const struct capacity_question *question, struct capacity_answer *answer);
};

extern const struct capacity_source capacity_source_kernel;
extern const struct capacity_source capacity_source_cppc;
extern const struct capacity_source capacity_source_cpufreq;
extern const struct capacity_source capacity_source_base; /* the frequency that always holds */
extern const struct capacity_source capacity_source_topology;
extern const struct capacity_source capacity_source_counters; /* names itself and why not */

#endif
