/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds how many threads are of use to a process: as many as the processors that it may use, and
 * never more than its quota. Each limit is read from the kernel; a limit that cannot be read is
 * ignored. */
#ifndef JUGGLE_LINUX_NPROC_H
#define JUGGLE_LINUX_NPROC_H

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/quota.h"

#include <stdbool.h>

enum { NPROC_PATH_SIZE = QUOTA_PATH_SIZE + 8, NPROC_DETAIL_SIZE = 256 };

/* In this order each limit but the quota counts what the limits before it have left. */
enum nproc_limit_kind {
    NPROC_ONLINE,
    NPROC_CPUSET,
    NPROC_AFFINITY,
    /* The kernel spreads no threads over isolated processors: they are left out unless there are no
     * others. */
    NPROC_ISOLATED,
    NPROC_FAST,
    NPROC_CORES,
    NPROC_QUOTA,
    NPROC_LIMITS_COUNT
};

struct nproc_limit {
    int count;                      /* threads that it allows; 0: not known, or no limit */
    char path[NPROC_PATH_SIZE];     /* the file or call that tells the limit */
    char detail[NPROC_DETAIL_SIZE]; /* processors, a quota, or what is wrong with it */
};

struct nproc_question {
    int proc_fd;                 /* /proc, or -1 */
    int sys_fd;                  /* /sys, or -1 */
    const char *who;             /* as cgroup_find takes it */
    const struct cpu_mask *mask; /* the affinity mask of `who`; NULL: it is not known */
    int fallback;                /* number of processors if no limit is known */
    bool cores;                  /* count SMT siblings once */
    bool fast;                   /* count the fastest kind of processors alone */
};

struct nproc {
    int count; /* at least 1 */
    enum nproc_limit_kind set_by;
    struct cpu_mask usable; /* processors that all limits before the cores leave */
    struct cpu_mask cpuset; /* online processors that the cpuset leaves */
    struct nproc_limit limits[NPROC_LIMITS_COUNT];
};

void nproc_read(const struct nproc_question *question, struct nproc *nproc);

/* As nproc_read, for the calling thread and this machine's /proc and /sys. */
void nproc_read_own(bool cores, bool fast, struct nproc *nproc);

/* As nproc_read_own, but with this affinity mask; NULL: it is not known. */
void nproc_read_within(const struct cpu_mask *mask, bool cores, bool fast, struct nproc *nproc);

/* "online", "quota". */
const char *nproc_limit_name(enum nproc_limit_kind kind);

#endif
