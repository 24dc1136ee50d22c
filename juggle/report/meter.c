/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/report/meter.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/quota.h"
#include "libjuggle/linux/sysfs.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { PID_TEXT_SIZE = 16 };

static int usage_now(const struct meter *meter, struct usage *usage)
{
    int proc_fd, sys_fd = -1;
    int error = procfs_open(&proc_fd);

    if (error)
        return error;
    if (sysfs_open(&sys_fd))
        sys_fd = -1;
    error = usage_read(proc_fd, sys_fd, meter->grouped ? &meter->group : NULL, usage);
    if (sys_fd >= 0)
        close(sys_fd);
    close(proc_fd);
    return error;
}

/* Keeps the group by name, because a program that has ended belongs to no group. */
static void group_find(struct meter *meter, pid_t pid)
{
    char who[PID_TEXT_SIZE] = "self";
    struct quota quota; /* 8 KB */
    int proc_fd, sys_fd;

    meter->grouped = meter->limited = false;
    if (pid)
        snprintf(who, sizeof(who), "%d", (int)pid);
    if (procfs_open(&proc_fd))
        return;
    meter->grouped = !cgroup_find(proc_fd, who, "cpu", &meter->group);
    if (!sysfs_open(&sys_fd)) {
        meter->limited = !quota_find(proc_fd, sys_fd, who, &quota);
        close(sys_fd);
    }
    close(proc_fd);
}

static int processors_of(const struct machine *machine, struct cpu_mask *processors)
{
    if (!machine)
        return affinity_get(0, processors);
    cpu_mask_clear(processors);
    for (int i = 0; i < machine->processors_count; i++)
        cpu_mask_add(processors, machine->processors[i].os_index);
    return 0;
}

void meter_begin(struct meter *meter, const struct machine *machine, pid_t pid)
{
    meter->running = false;
    if (processors_of(machine, &meter->processors))
        return;
    group_find(meter, pid);
    meter->running = !usage_now(meter, &meter->began);
}

/* Usage of the new processors before this call does not count. */
void meter_grow(struct meter *meter, const struct machine *machine)
{
    struct cpu_mask all;

    if (!meter->running || processors_of(machine, &all) || usage_now(meter, &meter->now))
        return;
    for (int cpu = -1; (cpu = cpu_mask_next(&all, cpu)) >= 0;) {
        if (cpu_mask_has(&meter->processors, cpu))
            continue;
        meter->began.busy_ns[cpu] = meter->now.busy_ns[cpu];
        meter->began.steal_ns[cpu] = meter->now.steal_ns[cpu];
    }
    meter->processors = all;
}

int64_t meter_own_ns(void)
{
    return clock_used_ns(RUSAGE_SELF);
}

/* RUSAGE_CHILDREN counts only processes that were waited for, so the times of threads are summed
 * up as well. Returns the greatest of these numbers. */
static int64_t program_ns(const struct report *report)
{
    const int64_t seen_ns = max_i64(report->statistics.times.all.run_ns,
                                    clock_used_ns(RUSAGE_CHILDREN));

    return max_i64(report_sums(report).run_ns, seen_ns);
}

static int64_t bound_busy_ns(const struct meter *meter, const struct report *report)
{
    struct cpu_mask bound = report->statistics.times.pinned_cpus;

    cpu_mask_intersect(&bound, &meter->processors);
    return usage_busy_ns(&meter->began, &meter->now, &bound);
}

static double stopped_share(const struct tally_times *times)
{
    return times->life_ns > 0 ? (double)times->stopped_ns / (double)times->life_ns : 0;
}

/* Estimated from samples. Takes the greater share of workers and all threads, because helpers
 * may run on while workers are stopped. */
static int64_t stopped_ns(const struct report *report)
{
    const struct program_times *times = &report->statistics.times;

    return (int64_t)((double)report->elapsed_ns *
                     fmax(stopped_share(&times->workers), stopped_share(&times->all)));
}

void meter_read(struct meter *meter, struct report *report)
{
    struct taken *taken = &report->taken;
    const struct usage *now = &meter->now;

    report->program_ns = program_ns(report);
    taken->stopped_ns = stopped_ns(report);
    if (!meter->running || usage_now(meter, &meter->now))
        return;
    const int64_t busy_ns = usage_busy_ns(&meter->began, now, &meter->processors);
    taken->others_ns = max_i64(0, busy_ns - report->program_ns - report->own_cpu_ns);
    taken->steal_ns = usage_steal_ns(&meter->began, now, &meter->processors);
    const struct usage_quota quota = usage_quota(&meter->began, now);
    taken->throttled_ns = quota.throttled_ns;
    taken->periods_count = quota.periods_count;
    taken->throttled_count = quota.throttled_count;
    taken->limited = meter->limited || quota.periods_count > 0;
    taken->bound_busy_ns = bound_busy_ns(meter, report);
}
