/* SPDX-License-Identifier: BSD-3-Clause */
/* How many threads are of use to a process: as many as the processors that it may use, and never
 * more than its quota. Each limit is read where the kernel tells it; what cannot be read limits
 * nothing. */
#ifndef JUGGLE_LINUX_NPROC_H
#define JUGGLE_LINUX_NPROC_H

#include "libjuggle/linux/cpu_mask.h"
#include "libjuggle/linux/quota.h"

#include <stdbool.h>

enum { NPROC_PATH_SIZE = QUOTA_PATH_SIZE + 8, NPROC_DETAIL_SIZE = 256 };

/* In this order each counts what the ones before it have left, but for the quota. */
enum nproc_limit_kind {
    NPROC_ONLINE,
    NPROC_CPUSET,
    NPROC_AFFINITY,
    NPROC_ISOLATED, /* the kernel spreads no threads over these: left out unless there are only such
                     */
    NPROC_FAST,
    NPROC_CORES,
    NPROC_QUOTA,
    NPROC_LIMITS_COUNT
};

struct nproc_limit {
    int count;                  /* threads that it allows; 0: it is not known, or none */
    char path[NPROC_PATH_SIZE]; /* who says so */
    char
        detail[NPROC_DETAIL_SIZE]; /* what it says: processors, a quota, or what is wrong with it */
};

struct nproc_question {
    int proc_fd;                 /* /proc, or -1 */
    int sys_fd;                  /* /sys, or -1 */
    const char *who;             /* as cgroup_find takes it */
    const struct cpu_mask *mask; /* the affinity mask of `who`; NULL: it is not known */
    int fallback;                /* of processors, where neither is */
    bool cores;                  /* siblings count once */
    bool fast;                   /* the fastest kind alone */
};

struct nproc {
    int count; /* at least 1 */
    enum nproc_limit_kind set_by;
    struct cpu_mask usable; /* what is left before siblings and the quota count */
    struct cpu_mask cpuset; /* what is left by the cpuset alone */
    struct nproc_limit limits[NPROC_LIMITS_COUNT];
};

void nproc_read(const struct nproc_question *question, struct nproc *nproc);

/* Of the calling thread, by this machine's /proc and /sys. */
void nproc_read_own(bool cores, bool fast, struct nproc *nproc);

/* The same of another mask in place of its own; NULL: it is not known. */
void nproc_read_within(const struct cpu_mask *mask, bool cores, bool fast, struct nproc *nproc);

/* "online", "quota". */
const char *nproc_limit_name(enum nproc_limit_kind kind);

#endif
