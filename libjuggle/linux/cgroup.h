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

struct cgroup_mount {
    char point[PATH_MAX]; /* below /sys */
    char root[PATH_MAX];  /* the group that it shows as its root */
};

/* Where the hierarchies with a controller are mounted. */
struct cgroup_mounts {
    const char *controller; /* stays the caller's */
    struct cgroup_mount first, second;
};

/* From self/mountinfo; what is not in it, as systemd mounts it. */
void cgroup_mounts_read(int proc_fd, const char *controller, struct cgroup_mounts *mounts);

/* `who` is a directory of /proc: "self", "12/task/13". The group is that of the first version's
 * hierarchy with the controller, else of the second version. -ENOENT: it is in none that is seen
 * from here, or gone. */
int cgroup_find_mounted(int proc_fd, const char *who, const struct cgroup_mounts *mounts,
                        struct cgroup *group) MUST_CHECK;

/* The same for who asks once. */
int cgroup_find(int proc_fd, const char *who, const char *controller,
                struct cgroup *group) MUST_CHECK;

/* Goes to the group above; false at the root. */
bool cgroup_rise(struct cgroup *group);

#endif
