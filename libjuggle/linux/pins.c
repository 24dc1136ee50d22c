/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/pins.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/numbers.h"
#include "libjuggle/linux/procfs.h"

#include <stdio.h>
#include <unistd.h>

enum { PATH_SIZE = 32 };

/* What every step of the walk needs; it is small, and passed by value. */
struct pins_walk {
    int proc_fd;
    pid_t pid;
    const struct cpu_mask *processors;
    struct pins *pins;
};

static void numbers_see(const struct pins_walk *reading, const char *path,
                        void (*see)(struct pins_walk reading, pid_t number))
{
    DIR *directory;
    pid_t number;

    if (numbers_open(reading->proc_fd, path, &directory))
        return;
    while ((number = numbers_next(directory)))
        see(*reading, number);
    closedir(directory);
}

static void thread_see(struct pins_walk reading, pid_t tid)
{
    const struct thread_id id = {reading.pid, tid, 0};
    struct thread_stat stat;
    struct cpu_mask mask;

    if (procfs_stat_read(reading.proc_fd, reading.pid, tid, &stat) || stat.state != 'R' ||
        stat.kernel)
        return;
    if (stat.cpu >= 0 && stat.cpu < CPU_MASK_CPUS_MAX)
        cpu_mask_add(&reading.pins->busy, stat.cpu);
    if (affinity_get_whole(reading.proc_fd, &id, &mask))
        return;
    if (cpu_mask_count(&mask) != 1 || !cpu_mask_subset(&mask, reading.processors))
        return;
    reading.pins->threads_count++;
    cpu_mask_unite(&reading.pins->processors, &mask);
}

static void process_see(struct pins_walk reading, pid_t pid)
{
    char path[PATH_SIZE];

    if (pid == getpid())
        return;
    reading.pid = pid;
    snprintf(path, sizeof(path), "%d/task", (int)pid);
    numbers_see(&reading, path, thread_see);
}

void pins_read(int proc_fd, const struct cpu_mask *processors, struct pins *pins)
{
    const struct pins_walk reading = {.proc_fd = proc_fd, .processors = processors, .pins = pins};

    *pins = (struct pins){0};
    numbers_see(&reading, ".", process_see);
}
