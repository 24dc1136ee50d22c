/* SPDX-License-Identifier: BSD-3-Clause */
/* The control group that a process or thread is in, as a directory below /sys, in both versions. */
#ifndef JUGGLE_LINUX_CGROUP_H
#define JUGGLE_LINUX_CGROUP_H

#include "libjuggle/ground/units.h"

#include <limits.h>
#include <stdbool.h>

struct cgroup {
    char path[PATH_MAX]; /* "fs/cgroup/cpuset/batch/job-7" */
    size_t root_length;  /* of "fs/cgroup/cpuset" */
};

/*
 * `who` is a directory of /proc: "self", "12/task/13". The group is that of the first version's
 * hierarchy with the controller, else of the second version. -ENOENT: it is in none that is seen
 * from here, or gone. Where the hierarchies are mounted is read from self/mountinfo; without it, as
 * systemd mounts them.
 */
int cgroup_find(int proc_fd, const char *who, const char *controller,
                struct cgroup *group) MUST_CHECK;

/* Goes to the group above; false at the root. */
bool cgroup_rise(struct cgroup *group);

#endif
