/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/cpuset.h"

#include "libjuggle/linux/cgroup.h"
#include "libjuggle/linux/sysfs.h"

#include <errno.h>
#include <stdio.h>

enum { WHO_SIZE = 48 };

/* The names in cgroup v2 and v1. */
static const char *const file_names[] = {"cpuset.cpus.effective", "cpuset.effective_cpus"};

static int group_read(int sys_fd, const struct cgroup *group, struct cpu_mask *allowed,
                      char path[CPUSET_PATH_SIZE])
{
    for (size_t i = 0; i < ARRAY_COUNT(file_names); i++) {
        snprintf(path, CPUSET_PATH_SIZE, "%s/%s", group->path, file_names[i]);
        if (!sysfs_list_read(sys_fd, path, allowed))
            return 0;
    }
    return -ENOENT;
}

/* A group of v2 has the file only if the controller is switched on there; else the group above
 * counts. */
int cpuset_find(const struct cpuset_files *files, const char *who, struct cpu_mask *allowed,
                char path[CPUSET_PATH_SIZE])
{
    struct cgroup group;
    int error = cgroup_find(files->proc_fd, who, "cpuset", &group);

    if (error)
        return error;
    do
        error = group_read(files->sys_fd, &group, allowed, path);
    while (error && cgroup_rise(&group));
    return error;
}

int cpuset_read(const struct cpuset_files *files, const struct thread_id *id,
                struct cpu_mask *allowed)
{
    char who[WHO_SIZE], path[CPUSET_PATH_SIZE];

    snprintf(who, sizeof(who), "%d/task/%d", (int)id->pid, (int)id->tid);
    return cpuset_find(files, who, allowed, path);
}

int cpuset_read_all(const struct cpuset_files *files, const struct thread_id *ids, int ids_count,
                    struct cpu_mask *allowed)
{
    struct cpu_mask all, part;

    cpu_mask_clear(&all);
    for (int i = 0; i < ids_count; i++)
        if (!cpuset_read(files, &ids[i], &part))
            cpu_mask_unite(&all, &part);
    if (!cpu_mask_count(&all))
        return -ENOENT;
    *allowed = all;
    return 0;
}
