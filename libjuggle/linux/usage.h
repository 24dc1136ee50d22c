/* SPDX-License-Identifier: BSD-3-Clause */
/* What processors have done since the machine came up, and how long the quota of a control group
 * kept it waiting. */
#ifndef JUGGLE_LINUX_USAGE_H
#define JUGGLE_LINUX_USAGE_H

#include "libjuggle/linux/cgroup.h"
#include "libjuggle/linux/cpu_mask.h"

/* How long the quota of a control group was used up, and in how many of the periods in which the
 * group ran. Zeros if there is no quota. */
struct usage_quota {
    int64_t throttled_ns;
    int64_t periods_count, throttled_count;
};

enum { USAGE_LEVELS_MAX = 16 };

/* Processor time, in steps of a clock tick. */
struct usage {
    int64_t busy_ns[CPU_MASK_CPUS_MAX];          /* by processor: of all programs and the kernel */
    int64_t steal_ns[CPU_MASK_CPUS_MAX];         /* time in which the host did not let it run */
    struct usage_quota quotas[USAGE_LEVELS_MAX]; /* of the control group and those above it */
};

/* `proc_fd` and `sys_fd` are /proc and /sys. If `sys_fd` is negative or `group` NULL, quotas are
 * zeros. -EBADMSG: not the format that proc(5) describes; -errno of open. */
int usage_read(int proc_fd, int sys_fd, const struct cgroup *group, struct usage *usage) MUST_CHECK;

/* Returns the counts since the group was made, of the group or the one above it that was kept
 * waiting longest, because any of their quotas may be the one that limits. If none was kept
 * waiting, returns those of a group that has a quota. */
struct usage_quota usage_quota_read(int sys_fd, const struct cgroup *group);

/* Return the time from `earlier` to `later` on these processors. */
int64_t usage_busy_ns(const struct usage *earlier, const struct usage *later,
                      const struct cpu_mask *processors);
int64_t usage_steal_ns(const struct usage *earlier, const struct usage *later,
                       const struct cpu_mask *processors);
/* As usage_quota_read, for the time from `earlier` to `later`. */
struct usage_quota usage_quota(const struct usage *earlier, const struct usage *later);

#endif
