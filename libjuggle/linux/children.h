/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose children processes are: by /proc/PID/task/TID/children where the kernel has it, else by the
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
    struct kinship *parents; /* NULL where there are children files */
    int parents_count;
};

struct children_visitor {
    void (*found)(void *context, pid_t child);
    void *context;
};

/* In place. Any of the processes, while it lives, tells which way works here. -ENOMEM. */
int children_init(int proc_fd, const pid_t *pids, int count, struct children *children) MUST_CHECK;
void children_release(struct children *children);

/* Before a walk: reads all parents and children, where that is done at once. */
int children_begin(struct children *children) MUST_CHECK;

/* Those of one thread; and, where there are no children files, those of all of a process. */
void children_of_thread(const struct children *children, pid_t pid, pid_t tid,
                        const struct children_visitor *visitor);
void children_of_process(const struct children *children, pid_t pid,
                         const struct children_visitor *visitor);

#endif
