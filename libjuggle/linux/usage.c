/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/usage.h"

#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_SIZE = 512, FILE_PATH_SIZE = PATH_MAX + 32 };

/* ---- processors ---- */

/* Time of guests is left out: user and nice contain it. */
static int row_read(const char *row, int64_t tick_ns, struct usage *usage)
{
    int64_t user, nice, system, idle, iowait, irq, softirq, steal;
    int cpu;

    if (sscanf(row,
               "cpu%d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
               " %" SCNd64 " %" SCNd64,
               &cpu, &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal) != 9)
        return -EBADMSG;
    if (cpu < 0 || cpu >= CPU_MASK_CPUS_MAX)
        return 0;
    usage->busy_ns[cpu] = (user + nice + system + irq + softirq) * tick_ns;
    usage->steal_ns[cpu] = steal * tick_ns;
    return 0;
}

static int processors_read(int proc_fd, struct usage *usage)
{
    const int64_t tick_ns = NSEC_PER_SEC / sysconf(_SC_CLK_TCK);
    FILE *file = procfs_lines_open(proc_fd, "stat");
    char row[LINE_SIZE];
    int error = 0;

    if (!file)
        return -errno;
    while (!error && fgets(row, sizeof(row), file) && !strncmp(row, "cpu", strlen("cpu")))
        if (row[strlen("cpu")] != ' ') /* the first row is their sum */
            error = row_read(row, tick_ns, usage);
    fclose(file);
    return error;
}

/* ---- the control group ---- */

/* Reads cpu.stat of cgroup v1 or v2. */
static struct usage_quota stat_read(int sys_fd, const char *path)
{
    FILE *file = procfs_lines_open(sys_fd, path);
    struct usage_quota quota = {0};
    char line[LINE_SIZE];
    int64_t amount;

    while (file && fgets(line, sizeof(line), file)) {
        if (sscanf(line, "throttled_usec %" SCNd64, &amount) == 1)
            quota.throttled_ns = amount * NSEC_PER_USEC;
        if (sscanf(line, "throttled_time %" SCNd64, &amount) == 1)
            quota.throttled_ns = amount;
        if (sscanf(line, "nr_periods %" SCNd64, &amount) == 1)
            quota.periods_count = amount;
        if (sscanf(line, "nr_throttled %" SCNd64, &amount) == 1)
            quota.throttled_count = amount;
    }
    if (file)
        fclose(file);
    return quota;
}

/* If there are more groups than levels, the topmost ones are left out. */
static void quotas_read(int sys_fd, const struct cgroup *leaf, struct usage_quota *quotas)
{
    struct cgroup group = *leaf;
    int level = 0;

    do {
        char path[FILE_PATH_SIZE];
        snprintf(path, sizeof(path), "%s/cpu.stat", group.path);
        quotas[level++] = stat_read(sys_fd, path);
    } while (level < USAGE_LEVELS_MAX && cgroup_rise(&group));
}

/* A counter that is less than before counts as unchanged. */
static struct usage_quota difference(const struct usage_quota *earlier,
                                     const struct usage_quota *later)
{
    return (struct usage_quota){
        .throttled_ns = max_i64(0, later->throttled_ns - earlier->throttled_ns),
        .periods_count = max_i64(0, later->periods_count - earlier->periods_count),
        .throttled_count = max_i64(0, later->throttled_count - earlier->throttled_count),
    };
}

static bool is_more(const struct usage_quota *a, const struct usage_quota *b)
{
    if (a->throttled_ns != b->throttled_ns)
        return a->throttled_ns > b->throttled_ns;
    return a->periods_count > b->periods_count;
}

/* Returns the counts of the group that was kept waiting longest between the two; if none was, of
 * one with a quota. */
static struct usage_quota quota_since(const struct usage_quota *earlier,
                                      const struct usage_quota *later)
{
    struct usage_quota most = {0};

    for (int i = 0; i < USAGE_LEVELS_MAX; i++) {
        const struct usage_quota since = difference(&earlier[i], &later[i]);
        if (is_more(&since, &most))
            most = since;
    }
    return most;
}

struct usage_quota usage_quota_read(int sys_fd, const struct cgroup *group)
{
    const struct usage_quota none[USAGE_LEVELS_MAX] = {0};
    struct usage_quota quotas[USAGE_LEVELS_MAX] = {0};

    quotas_read(sys_fd, group, quotas);
    return quota_since(none, quotas);
}

/* ---- together ---- */

int usage_read(int proc_fd, int sys_fd, const struct cgroup *group, struct usage *usage)
{
    memset(usage, 0, sizeof(*usage));
    if (sys_fd >= 0 && group)
        quotas_read(sys_fd, group, usage->quotas);
    return processors_read(proc_fd, usage);
}

/* The counters of a processor that came back may start at zero. */
static int64_t sum_between(const int64_t *earlier_ns, const int64_t *later_ns,
                           const struct cpu_mask *processors)
{
    int64_t sum_ns = 0;

    for (int cpu = -1; (cpu = cpu_mask_next(processors, cpu)) >= 0;)
        sum_ns += max_i64(0, later_ns[cpu] - earlier_ns[cpu]);
    return sum_ns;
}

int64_t usage_busy_ns(const struct usage *earlier, const struct usage *later,
                      const struct cpu_mask *processors)
{
    return sum_between(earlier->busy_ns, later->busy_ns, processors);
}

int64_t usage_steal_ns(const struct usage *earlier, const struct usage *later,
                       const struct cpu_mask *processors)
{
    return sum_between(earlier->steal_ns, later->steal_ns, processors);
}

struct usage_quota usage_quota(const struct usage *earlier, const struct usage *later)
{
    return quota_since(earlier->quotas, later->quotas);
}
