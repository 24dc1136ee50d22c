/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the memory of a process is, by domain, and how to make it follow a process that stays
 * elsewhere. With one NUMA node all of it does nothing. */
#ifndef JUGGLE_LINUX_MEMORY_H
#define JUGGLE_LINUX_MEMORY_H

#include "libjuggle/linux/numa_nodes.h"
#include "libjuggle/ground/machine.h"

#include <sys/types.h>

struct memory;

struct memory_options {
    int proc_fd;              /* stays the caller's, and open */
    int sys_fd;               /* is read at once; -1: all is taken for one node */
    int64_t bytes_per_second; /* how much may follow; 0: nothing does */
    /* For tests; NULL: numa_nodes_migrate. */
    int (*migrate)(pid_t pid, const bool from[NUMA_NODES_MAX], int to);
};

int memory_create(const struct machine *machine, const struct memory_options *options,
                  struct memory **memory) MUST_CHECK;
void memory_destroy(struct memory *memory);

/* Whether anything may ever follow: it was asked for, and there are several nodes of processors, of
 * the machine or beside it. */
bool memory_may_follow(const struct memory *memory);

/* The node of a processor of the machine. */
int memory_node(const struct memory *memory, int processor);

/* Bytes of the process in each domain. -ESRCH; -EACCES: not ours to see. */
int memory_residence(const struct memory *memory, pid_t pid,
                     int64_t bytes[MACHINE_DOMAINS_MAX]) MUST_CHECK;

/* The domain that holds more than half of what is in any, or -1: as always where the machine's
 * processors share a node. */
int memory_home(const struct memory *memory, pid_t pid);

/* Moves its pages to the node of a processor of the machine, but for those on nodes without
 * processors, where somebody has put them on purpose. -EAGAIN: over the bound, ask again
 * later; -ESRCH; -EACCES, -EPERM: not ours. */
int memory_follow(struct memory *memory, pid_t pid, int processor, int64_t now_ns) MUST_CHECK;

#endif
