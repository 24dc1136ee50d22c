/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the children of processes, by /proc/PID/task/TID/children if the kernel has it, else by the
 * parents of all processes of the node. */
#ifndef JUGGLE_LINUX_CHILDREN_H
#define JUGGLE_LINUX_CHILDREN_H

#include "libjuggle/ground/units.h"

#include <stdbool.h>
#include <sys/types.h>

struct kinship {
    pid_t pid;
    pid_t parent;
};

struct children {
    int proc_fd;             /* stays the caller's */
    struct kinship *parents; /* NULL if the kernel has children files */
    int parents_count;
};

struct children_visitor {
    void (*found)(void *context, pid_t child);
    void *context;
};

/* Finds out by these processes, one of which must be alive, whether the kernel has children files.
 * Returns -ENOMEM. */
int children_init(int proc_fd, const pid_t *pids, int count, struct children *children) MUST_CHECK;
void children_release(struct children *children);

/* Called before a walk. If the kernel has no children files, reads the parents of all processes. */
int children_begin(struct children *children) MUST_CHECK;

/* Visits the children of one thread if the kernel has children files, else none. The second
 * function visits the children of a whole process if it has no such files, else none. So a walk
 * calls both. */
void children_of_thread(const struct children *children, pid_t pid, pid_t tid,
                        const struct children_visitor *visitor);
void children_of_process(const struct children *children, pid_t pid,
                         const struct children_visitor *visitor);

#endif
