/* SPDX-License-Identifier: BSD-3-Clause */
/* What processors have done since the machine came up, and what a control group was denied. */
#ifndef JUGGLE_LINUX_USAGE_H
#define JUGGLE_LINUX_USAGE_H

#include "libjuggle/linux/cpu_mask.h"

/* Processor time, in steps of a clock tick. */
struct usage {
    int64_t busy_ns;      /* of all programs and the kernel, on the processors asked for */
    int64_t steal_ns;     /* the host ran somebody else instead */
    int64_t throttled_ns; /* the quota of this process' control group, or of one above it, was used
                             up; 0 where there is none */
};

/* `proc_fd` and `sys_fd` are /proc and /sys, the latter -1 without one. -EBADMSG: not the format
 * that proc(5) describes; -errno of open. */
int usage_read(int proc_fd, int sys_fd, const struct cpu_mask *processors,
               struct usage *usage) MUST_CHECK;

/* From `earlier` to `later`. */
struct usage usage_between(const struct usage *earlier, const struct usage *later);

#endif
