/* SPDX-License-Identifier: BSD-3-Clause */
/* The processors that a thread's control group leaves it, whatever its affinity mask is. */
#ifndef JUGGLE_LINUX_CPUSET_H
#define JUGGLE_LINUX_CPUSET_H

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/thread_id.h"

#include <limits.h>

struct cpuset_files {
    int proc_fd;
    int sys_fd; /* -1: cpusets are not known */
};

/* Reads the cpuset of a thread from cgroup v1 or v2, without offline processors. Returns -ENOENT if
 * there is no cpuset, or if the thread is gone or hidden. */
int cpuset_read(const struct cpuset_files *files, const struct thread_id *id,
                struct cpu_mask *allowed) MUST_CHECK;

enum { CPUSET_PATH_SIZE = PATH_MAX + 32 };

/* As cpuset_read, for `who` as in cgroup_find. `path` gets the file below /sys that was read. */
int cpuset_find(const struct cpuset_files *files, const char *who, struct cpu_mask *allowed,
                char path[CPUSET_PATH_SIZE]) MUST_CHECK;

/* Reads the union of the threads' cpusets. Returns -ENOENT if none can be read. */
int cpuset_read_all(const struct cpuset_files *files, const struct thread_id *ids, int ids_count,
                    struct cpu_mask *allowed) MUST_CHECK;

#endif
