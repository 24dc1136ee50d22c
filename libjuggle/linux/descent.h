/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks the threads of processes that descend from given ones, by /proc/PID/task/TID/children
 * where the kernel has it, else by the parents of all processes.
 *
 * A process that was met once is met again while it lives, even when it was orphaned since. */
#ifndef JUGGLE_LINUX_DESCENT_H
#define JUGGLE_LINUX_DESCENT_H

#include "libjuggle/linux/thread_info.h"

struct descent_options {
    int proc_fd;
    const pid_t *roots;
    int roots_count;
    bool roots_included; /* else only what descends from them */
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

/* Takes in a process that need not descend from a root, as if it had been met. -ESRCH, -ENOSPC. */
int descent_adopt(struct descent *descent, pid_t pid) MUST_CHECK;

/* Not the program's, though it descends from a root, as the guardian. -ENOMEM. */
int descent_exclude(struct descent *descent, pid_t pid) MUST_CHECK;

/* Forgets a process, with all that descend from it. What descends from another that stays is met
 * again all the same. */
void descent_disown(struct descent *descent, pid_t pid);

/* Visits every living thread that we may see and that can be moved, in pieces, each of at least one
 * thread. -EAGAIN: it is that time, and not all were visited yet: call it again. Between two pieces
 * everything else may be called. Fails, not having visited all, as when there are too many open
 * files: -EMFILE. */
int descent_walk_until(struct descent *descent, const struct descent_visitor *visitor,
                       int64_t until_ns) MUST_CHECK;
/* What was visited does not count: the next walk begins anew. */
void descent_abandon(struct descent *descent);
bool descent_is_walking(const struct descent *descent);
/* The check that failed first, or NULL. */
const char *descent_fault(const struct descent *descent);

/* A number that has changed when a process that is known has other threads or children than before,
 * for a fraction of what a walk costs; it may miss that as many have come as have gone. */
uint64_t descent_fingerprint(const struct descent *descent);

/* True of a root and of every process met in the last walk. */
bool descent_has(const struct descent *descent, pid_t pid);

#endif
