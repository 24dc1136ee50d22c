/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/affinity.h"

#include <errno.h>

int affinity_get(pid_t tid, struct cpu_mask *mask)
{
    struct cpu_mask read;

    cpu_mask_clear(&read);
    if (sched_getaffinity(tid, sizeof(read.sets), read.sets) < 0)
        return -errno;
    *mask = read;
    return 0;
}

int affinity_set(pid_t tid, const struct cpu_mask *mask)
{
    return sched_setaffinity(tid, sizeof(mask->sets), mask->sets) < 0 ? -errno : 0;
}

enum affinity_owner affinity_classify(const struct cpu_mask *now, const struct cpu_mask *ours,
                                      const struct cpu_mask *original)
{
    if (cpu_mask_equal(now, ours))
        return AFFINITY_OURS;
    if (cpu_mask_equal(now, original))
        return AFFINITY_USERS;
    /*
     * When a cpuset takes the last processor of a mask away, the kernel opens it to all that the
     * cpuset has left; when it takes some, the others remain. A program chooses few, mostly one.
     */
    if (cpu_mask_count(now) > cpu_mask_count(ours))
        return AFFINITY_UNDONE;
    if (cpu_mask_count(now) > 1 && cpu_mask_subset(now, ours))
        return AFFINITY_UNDONE;
    return AFFINITY_PROGRAM;
}
