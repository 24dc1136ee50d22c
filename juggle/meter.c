/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/meter.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/sysfs.h"

#include <sys/resource.h>
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

/* What the processors did before counts on, and what new ones did does not. */
void meter_grow(struct meter *meter)
{
    struct usage now, grown;

    if (!meter->running || usage_now(meter, &now) || affinity_get(0, &meter->processors) ||
        usage_now(meter, &grown))
        return;
    const struct usage used = usage_between(&meter->began, &now);
    meter->began = (struct usage){
        .busy_ns = grown.busy_ns - used.busy_ns,
        .steal_ns = grown.steal_ns - used.steal_ns,
        .throttled_ns = grown.throttled_ns - used.throttled_ns,
    };
}

static int64_t cpu_ns(int who)
{
    struct rusage usage;

    getrusage(who, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NSEC_PER_SEC +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NSEC_PER_USEC;
}

int64_t meter_own_ns(void)
{
    return cpu_ns(RUSAGE_SELF);
}

/* Of the program and juggle. Processes that were not waited for are known by their threads alone.
 */
static int64_t ours_ns(const struct report *report)
{
    int64_t threads_ns = 0;

    for (int i = 0; i < report->threads_count; i++)
        threads_ns += report->threads[i].run_ns;
    return report->own_cpu_ns + max_i64(threads_ns, cpu_ns(RUSAGE_CHILDREN));
}

void meter_read(const struct meter *meter, struct report *report)
{
    struct taken *taken = &report->taken;
    struct usage now;

    if (!meter->running || usage_now(meter, &now))
        return;
    const struct usage used = usage_between(&meter->began, &now);
    taken->others_ns = max_i64(0, used.busy_ns - ours_ns(report));
    taken->steal_ns = used.steal_ns;
    taken->throttled_ns = used.throttled_ns;
}
