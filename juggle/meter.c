/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/meter.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/sysfs.h"

#include <unistd.h>

static int usage_now(const struct meter *meter, struct usage *usage)
{
    int proc_fd, sys_fd = -1;
    int error = procfs_open(&proc_fd);

    if (error)
        return error;
    if (sysfs_open(&sys_fd))
        sys_fd = -1;
    error = usage_read(proc_fd, sys_fd, &meter->processors, usage);
    if (sys_fd >= 0)
        close(sys_fd);
    close(proc_fd);
    return error;
}

void meter_begin(struct meter *meter, const char *cpus)
{
    struct cpu_mask wanted;

    meter->running = false;
    if (affinity_get(0, &meter->processors))
        return;
    if (cpus && !cpu_mask_parse(cpus, &wanted))
        cpu_mask_intersect(&meter->processors, &wanted);
    meter->running = !usage_now(meter, &meter->began);
}

void meter_read(const struct meter *meter, int64_t ours_ns, struct taken *taken)
{
    struct usage now;

    if (!meter->running || usage_now(meter, &now))
        return;
    const struct usage used = usage_between(&meter->began, &now);
    taken->others_ns = max_i64(0, used.busy_ns - ours_ns);
    taken->steal_ns = used.steal_ns;
    taken->throttled_ns = used.throttled_ns;
}
