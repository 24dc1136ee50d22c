/* SPDX-License-Identifier: BSD-3-Clause */
/* The processors that a thread's control group leaves it, whatever its affinity mask is. */
#ifndef JUGGLE_LINUX_CPUSET_H
#define JUGGLE_LINUX_CPUSET_H

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/thread_id.h"

#include <limits.h>

struct cpuset_files {
    int proc_fd;
    int sys_fd; /* -1: nothing is told */
};

/* By both versions' cpusets, offline ones left out. -ENOENT: none tells, or the thread is gone or
 * hidden. */
int cpuset_read(const struct cpuset_files *files, const struct thread_id *id,
                struct cpu_mask *allowed) MUST_CHECK;

enum { CPUSET_PATH_SIZE = PATH_MAX + 32 };

/* The same of `who`, as cgroup_find takes it, and the file below /sys that told it. */
int cpuset_find(const struct cpuset_files *files, const char *who, struct cpu_mask *allowed,
                char path[CPUSET_PATH_SIZE]) MUST_CHECK;

/* What any of the threads is left. -ENOENT: none tells of any. */
int cpuset_read_all(const struct cpuset_files *files, const struct thread_id *ids, int ids_count,
                    struct cpu_mask *allowed) MUST_CHECK;

#endif
