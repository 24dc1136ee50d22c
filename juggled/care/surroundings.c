/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/surroundings.h"

#include <stdio.h>

enum { WHO_SIZE = 16 };

struct load surroundings_load(const struct surroundings *surroundings,
                              const struct processes *processes)
{
    return (struct load){processes_threads(processes, surroundings->proc_fd),
                         surroundings->service_jobs.count};
}

struct usage_quota surroundings_quota(const struct surroundings *surroundings,
                                      const struct process *processes, int count)
{
    struct cgroup group;
    char who[WHO_SIZE];

    if (!count || surroundings->sys_fd < 0)
        return (struct usage_quota){0};
    snprintf(who, sizeof(who), "%d", (int)processes[0].pid);
    if (cgroup_find_mounted(surroundings->proc_fd, who, &surroundings->mounts, &group))
        return (struct usage_quota){0};
    return usage_quota_read(surroundings->sys_fd, &group);
}

bool load_is_same(struct load before, struct load now)
{
    return before.threads == now.threads && before.jobs == now.jobs;
}
