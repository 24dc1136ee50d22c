/* SPDX-License-Identifier: BSD-3-Clause */
/* The best scheduling priority that a balancer thread may have, and what it got.
 *
 * Not for a thread that opens files of /proc or reaps children. If other threads on its processor
 * are in the middle of such a call, the kernel (6.18) spins until they are done, and if the thread
 * that spins has a real-time priority, they are not done for a second. */
#ifndef JUGGLE_LINUX_PRIORITY_H
#define JUGGLE_LINUX_PRIORITY_H

#include <stddef.h>

enum priority_kind {
    PRIORITY_FIFO, /* SCHED_FIFO, reset on fork */
    PRIORITY_NICE, /* SCHED_OTHER with a better niceness than before */
    PRIORITY_NONE, /* as it was */
};

struct priority {
    enum priority_kind kind;
    int level; /* of SCHED_FIFO, or the niceness */
    int error; /* why SCHED_FIFO was refused: 0 or -EPERM */
};

/* Raises the calling thread, which keeps a higher level that it has; children that it forks start
 * with the ordinary priority. */
void priority_raise(struct priority *priority);

/* "SCHED_FIFO 1", "nice -5 (SCHED_FIFO not permitted)"; returns what snprintf returns. */
int priority_format(const struct priority *priority, char *text, size_t size);

#endif
