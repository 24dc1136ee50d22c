/* SPDX-License-Identifier: BSD-3-Clause */
/* The control group of a process or thread, as a directory below /sys, for cgroup v1 and v2. */
#ifndef JUGGLE_LINUX_CGROUP_H
#define JUGGLE_LINUX_CGROUP_H

#include "libjuggle/ground/units.h"

#include <limits.h>
#include <stdbool.h>

struct cgroup {
    char path[PATH_MAX]; /* "fs/cgroup/cpuset/batch/job-7" */
    size_t root_length;  /* the length of "fs/cgroup/cpuset" */
};

struct cgroup_mount {
    char point[PATH_MAX]; /* below /sys */
    char root[PATH_MAX];  /* the group that it shows as its root */
};

/* Where the hierarchies of cgroup v1 and v2 with a controller are mounted. */
struct cgroup_mounts {
    const char *controller; /* stays the caller's */
    struct cgroup_mount v1, v2;
};

/* Reads self/mountinfo. A hierarchy that is not in it is assumed to be where systemd mounts it. */
void cgroup_mounts_read(int proc_fd, const char *controller, struct cgroup_mounts *mounts);

/* Finds the group of `who`, a directory of /proc such as "self" or "12/task/13", in the v1
 * hierarchy with the controller, else in v2. Returns -ENOENT if `who` is gone, or in no group that
 * is visible from here. */
int cgroup_find_mounted(int proc_fd, const char *who, const struct cgroup_mounts *mounts,
                        struct cgroup *group) MUST_CHECK;

/* As cgroup_find_mounted, but reads the mounts itself: for a single question. */
int cgroup_find(int proc_fd, const char *who, const char *controller,
                struct cgroup *group) MUST_CHECK;

/* Goes to the group above; false at the root. */
bool cgroup_rise(struct cgroup *group);

#endif
