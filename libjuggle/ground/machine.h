/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine as plain data: processors, the cores that they share, the domains that hold them. */
#ifndef JUGGLE_GROUND_MACHINE_H
#define JUGGLE_GROUND_MACHINE_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>

enum {
    MACHINE_PROCESSORS_MAX = 1024,
    MACHINE_DOMAINS_MAX = 64,
};

/* A rate is work done per time: RATE_ONE is that of a usual processor whose siblings are idle. */
#define RATE_ONE INT64_C(1000000)
#define RATE_MIN (RATE_ONE / 1000)
#define RATE_MAX (RATE_ONE * 1000)

/* One hardware thread. Everywhere else a processor is an index into machine.processors. */
struct processor {
    int os_index; /* the kernel's number of it */
    int core;     /* processors with equal cores are SMT siblings */
    int domain;   /* index of the balancing domain, usually its NUMA node */
    int64_t rate; /* 0 while unknown: taken for RATE_ONE */
};

/* Processors are ordered by domain, so that those of one domain are neighbors. */
struct machine {
    int processors_count;
    int domains_count;
    int64_t smt_rate; /* factor of a processor's rate while a sibling is busy; 0: unknown */
    struct processor processors[MACHINE_PROCESSORS_MAX];
};

/* A machine without SMT, its processors spread over the domains in runs that differ by at most one.
 * -EINVAL unless 1 <= domains_count <= processors_count and both are within the limits above. */
int machine_uniform(int processors_count, int domains_count, struct machine *machine) MUST_CHECK;

/* -EINVAL unless the counts and rates are within bounds, domains are numbered densely and in
 * order. */
int machine_check(const struct machine *machine) MUST_CHECK;

/* Merges all domains into one: balancing crosses the NUMA nodes. */
void machine_merge_domains(struct machine *machine);

/* The rates by which decisions are made: the known one, else RATE_ONE. */
int64_t machine_rate(const struct machine *machine, int processor);
int64_t machine_smt_rate(const struct machine *machine);

/* True if the rates of processors differ; an unknown rate counts as RATE_ONE. */
bool machine_unequal(const struct machine *machine);

/* The processors of a domain are [first, first + count). */
int machine_domain_first(const struct machine *machine, int domain);
int machine_domain_count(const struct machine *machine, int domain);

#endif
