/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks over the threads of processes that descend from given ones, by /proc/PID/task/TID/children
 * if the kernel has it, else by the parents of all processes.
 *
 * A process that was met once is met again while it lives, even if it was orphaned since. */
#ifndef JUGGLE_LINUX_DESCENT_H
#define JUGGLE_LINUX_DESCENT_H

#include "libjuggle/linux/thread_info.h"

struct descent_options {
    int proc_fd;
    const pid_t *roots;
    int roots_count;
    bool roots_included; /* false: only their descendants */
    int processes_max;
};

struct descent_visitor {
    void (*visit)(void *context, const struct thread_info *info);
    void *context;
};

struct descent;

/* -ENOMEM. The arrays are copied. A root that is gone is left out for good. */
int descent_create(const struct descent_options *options, struct descent **descent) MUST_CHECK;
void descent_destroy(struct descent *descent);

/* Adds a process that need not descend from a root, as if a walk had met it. Returns -ESRCH if it
 * is gone, -ENOSPC if there is no room. */
int descent_adopt(struct descent *descent, pid_t pid) MUST_CHECK;

/* Leaves out a process that descends from a root but is not the program's, such as the guardian.
 * Returns -ENOMEM. */
int descent_exclude(struct descent *descent, pid_t pid) MUST_CHECK;

/* Forgets a process and all its descendants. A descendant that also descends from another process
 * that stays is met again. */
void descent_disown(struct descent *descent, pid_t pid);

/* Visits every living thread that we may see and that can be moved, in pieces of at least one
 * thread. Returns -EAGAIN if the time came before all were visited: call it again. Between two
 * pieces all other functions may be called. Any other error, such as -EMFILE for too many open
 * files, means that the walk has ended without visiting all threads. */
int descent_walk_until(struct descent *descent, const struct descent_visitor *visitor,
                       int64_t until_ns) MUST_CHECK;
/* Ends the walk under way. What it has visited does not count: the next walk begins anew. */
void descent_abandon(struct descent *descent);
bool descent_is_walking(const struct descent *descent);
/* The check that failed first, or NULL. */
const char *descent_fault(const struct descent *descent);

/* Returns a number that changes when a known process gets or loses threads or children. It costs a
 * fraction of a walk, and may not change if as many came as went. */
uint64_t descent_fingerprint(const struct descent *descent);

/* True of a root and of every process met in the last walk. */
bool descent_has(const struct descent *descent, pid_t pid);

#endif
