/* SPDX-License-Identifier: BSD-3-Clause */
/* What processors have done since the machine came up, and what a control group was denied. */
#ifndef JUGGLE_LINUX_USAGE_H
#define JUGGLE_LINUX_USAGE_H

#include "libjuggle/linux/cgroup.h"
#include "libjuggle/linux/cpu_mask.h"

/* Of a control group: how long its quota was used up, and in how many of the periods in which it
 * ran. Zeros where there is none. */
struct usage_quota {
    int64_t throttled_ns;
    int64_t periods_count, throttled_count;
};

enum { USAGE_LEVELS_MAX = 16 };

/* Processor time, in steps of a clock tick. */
struct usage {
    int64_t busy_ns[CPU_MASK_CPUS_MAX];          /* by processor: of all programs and the kernel */
    int64_t steal_ns[CPU_MASK_CPUS_MAX];         /* the host ran somebody else instead */
    struct usage_quota quotas[USAGE_LEVELS_MAX]; /* of the control group and those above it */
};

/* `proc_fd` and `sys_fd` are /proc and /sys; without the latter, or a group, there is no quota.
 * -EBADMSG: not the format that proc(5) describes; -errno of open. */
int usage_read(int proc_fd, int sys_fd, const struct cgroup *group, struct usage *usage) MUST_CHECK;

/* Since the group was made; of it, or of the group above it that was kept waiting longest: the
 * quota that bites may be that of any. Where none was, the periods of one that has a quota. */
struct usage_quota usage_quota_read(int sys_fd, const struct cgroup *group);

/* From `earlier` to `later`, on these processors. */
int64_t usage_busy_ns(const struct usage *earlier, const struct usage *later,
                      const struct cpu_mask *processors);
int64_t usage_steal_ns(const struct usage *earlier, const struct usage *later,
                       const struct cpu_mask *processors);
/* The same for this time. */
struct usage_quota usage_quota(const struct usage *earlier, const struct usage *later);

#endif
