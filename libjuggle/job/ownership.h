/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the threads that are found may be balanced at all, whatever they do. */
#ifndef JUGGLE_JOB_OWNERSHIP_H
#define JUGGLE_JOB_OWNERSHIP_H

#include "libjuggle/linux/thread_info.h"

#include <stdbool.h>
#include <sys/types.h>

struct ownership {
    int proc_fd;
    bool owned; /* those of `owner` alone */
    uid_t owner;
};

/* A thread of this very process that serves the balancing itself. */
bool ownership_is_juggles(const struct thread_info *info);

/* False for those, and for a process of somebody else, such as one that has executed a set-user-ID
 * program. */
bool ownership_allows(const struct ownership *ownership, const struct thread_info *info);

#endif
