/* SPDX-License-Identifier: BSD-3-Clause */
/* The processor time that a process' control group, or any above it, may have in each period. */
#ifndef JUGGLE_LINUX_QUOTA_H
#define JUGGLE_LINUX_QUOTA_H

#include "libjuggle/ground/units.h"

#include <limits.h>

enum { QUOTA_PATH_SIZE = PATH_MAX + 32 };

struct quota {
    int64_t quota_us;
    int64_t period_us;
    char path[QUOTA_PATH_SIZE];    /* of the file, below /sys */
    char garbage[QUOTA_PATH_SIZE]; /* of a file that holds no quota and was left out; or empty */
};

/* Finds the smallest quota, as a number of processors, of the group of `who` (as in cgroup_find)
 * and of all groups above: cpu.max of cgroup v2, the CFS quota of v1. Returns -ENOENT if no quota
 * is visible; `garbage` may be filled in then, too. */
int quota_find(int proc_fd, int sys_fd, const char *who, struct quota *quota) MUST_CHECK;

/* Returns the quota in whole processors, rounded down, at least one. */
int quota_processors(const struct quota *quota);

#endif
