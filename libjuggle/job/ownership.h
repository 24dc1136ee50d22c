/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the threads that are found may be balanced at all, however much they work. */
#ifndef JUGGLE_JOB_OWNERSHIP_H
#define JUGGLE_JOB_OWNERSHIP_H

#include "libjuggle/linux/thread_info.h"

#include <stdbool.h>
#include <sys/types.h>

struct ownership {
    int proc_fd;
    bool owned; /* only processes of `owner` may be balanced */
    uid_t owner;
};

/* True for the threads of this process that do the balancing: the caller and the balancer
 * threads. */
bool ownership_is_juggles(const struct thread_info *info);

/* False for those, and if `owned` for processes of other users, such as one that has executed a
 * set-user-ID program. */
bool ownership_allows(const struct ownership *ownership, const struct thread_info *info);

#endif
