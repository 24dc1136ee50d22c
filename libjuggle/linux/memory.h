/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds where the memory of a process is, by domain, and moves it after a process that stays in
 * another domain. With one NUMA node nothing here has an effect. */
#ifndef JUGGLE_LINUX_MEMORY_H
#define JUGGLE_LINUX_MEMORY_H

#include "libjuggle/linux/numa_nodes.h"
#include "libjuggle/ground/machine.h"

#include <sys/types.h>

struct memory;

struct memory_options {
    int proc_fd;              /* stays the caller's, and open */
    int sys_fd;               /* only read by memory_create; -1: all is taken for one node */
    int64_t bytes_per_second; /* how much may follow; 0: nothing does */
    /* For tests; NULL: numa_nodes_migrate. */
    int (*migrate)(pid_t pid, const bool from[NUMA_NODES_MAX], int to);
};

int memory_create(const struct machine *machine, const struct memory_options *options,
                  struct memory **memory) MUST_CHECK;
void memory_destroy(struct memory *memory);

/* True if memory may ever follow: it was asked for, and several nodes have processors, whether or
 * not these belong to the machine. */
bool memory_may_follow(const struct memory *memory);

/* The node of a processor of the machine. */
int memory_node(const struct memory *memory, int processor);

/* Bytes of the process in each domain. -ESRCH; -EACCES: not ours to see. */
int memory_residence(const struct memory *memory, pid_t pid,
                     int64_t bytes[MACHINE_DOMAINS_MAX]) MUST_CHECK;

/* Returns the domain that holds more than half of the memory that is in any domain; -1 if none
 * does, and always if the machine's processors share a node. */
int memory_home(const struct memory *memory, pid_t pid);

/* Moves the pages of a process to the node of a processor of the machine. Pages on nodes without
 * processors stay there, because somebody has put them there on purpose. Returns -EAGAIN if more
 * may not follow now: ask again later; -ESRCH; -EACCES, -EPERM: not ours. */
int memory_follow(struct memory *memory, pid_t pid, int processor, int64_t now_ns) MUST_CHECK;

#endif
