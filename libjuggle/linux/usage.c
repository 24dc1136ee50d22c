/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/usage.h"

#include "libjuggle/linux/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_SIZE = 512, FILE_PATH_SIZE = PATH_MAX + 32 };

static FILE *file_open(int root_fd, const char *path)
{
    const int fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

    if (!file && fd >= 0)
        close(fd);
    return file;
}

/* ---- processors ---- */

/* Guests are in user and nice already. */
static int row_add(const char *row, int64_t tick_ns, const struct cpu_mask *processors,
                   struct usage *usage)
{
    int64_t user, nice, system, idle, iowait, irq, softirq, steal;
    int cpu;

    if (sscanf(row,
               "cpu%d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
               " %" SCNd64 " %" SCNd64,
               &cpu, &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal) != 9)
        return -EBADMSG;
    if (cpu < 0 || cpu >= CPU_MASK_CPUS_MAX || !cpu_mask_has(processors, cpu))
        return 0;
    usage->busy_ns += (user + nice + system + irq + softirq) * tick_ns;
    usage->steal_ns += steal * tick_ns;
    return 0;
}

static int processors_read(int proc_fd, const struct cpu_mask *processors, struct usage *usage)
{
    const int64_t tick_ns = NSEC_PER_SEC / sysconf(_SC_CLK_TCK);
    FILE *file = file_open(proc_fd, "stat");
    char row[LINE_SIZE];
    int error = 0;

    if (!file)
        return -errno;
    while (!error && fgets(row, sizeof(row), file) && !strncmp(row, "cpu", strlen("cpu")))
        if (row[strlen("cpu")] != ' ') /* the first row is their sum */
            error = row_add(row, tick_ns, processors, usage);
    fclose(file);
    return error;
}

/* ---- the control group ---- */

/* Both versions of the file. */
static int64_t throttled_read(int sys_fd, const char *path)
{
    FILE *file = file_open(sys_fd, path);
    char line[LINE_SIZE];
    int64_t amount, throttled_ns = 0;

    while (file && fgets(line, sizeof(line), file)) {
        if (sscanf(line, "throttled_usec %" SCNd64, &amount) == 1)
            throttled_ns = amount * NSEC_PER_USEC;
        if (sscanf(line, "throttled_time %" SCNd64, &amount) == 1)
            throttled_ns = amount;
    }
    if (file)
        fclose(file);
    return throttled_ns;
}

/* The quota that bites may be that of any group above. */
static int64_t quota_read(int proc_fd, int sys_fd)
{
    struct cgroup group;
    int64_t most_ns = 0;

    if (cgroup_find(proc_fd, "self", "cpu", &group))
        return 0;
    do {
        char path[FILE_PATH_SIZE];
        snprintf(path, sizeof(path), "%s/cpu.stat", group.path);
        most_ns = max_i64(most_ns, throttled_read(sys_fd, path));
    } while (cgroup_rise(&group));
    return most_ns;
}

/* ---- together ---- */

int usage_read(int proc_fd, int sys_fd, const struct cpu_mask *processors, struct usage *usage)
{
    struct usage read = {0};
    int error = processors_read(proc_fd, processors, &read);

    if (error)
        return error;
    if (sys_fd >= 0)
        read.throttled_ns = quota_read(proc_fd, sys_fd);
    *usage = read;
    return 0;
}

struct usage usage_between(const struct usage *earlier, const struct usage *later)
{
    return (struct usage){
        .busy_ns = max_i64(0, later->busy_ns - earlier->busy_ns),
        .steal_ns = max_i64(0, later->steal_ns - earlier->steal_ns),
        .throttled_ns = max_i64(0, later->throttled_ns - earlier->throttled_ns),
    };
}
