/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/affinity.h"

#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int affinity_get(pid_t tid, struct cpu_mask *mask)
{
    struct cpu_mask read;

    cpu_mask_clear(&read);
    if (sched_getaffinity(tid, sizeof(read.sets), read.sets) < 0)
        return -errno;
    *mask = read;
    return 0;
}

int affinity_get_whole(int proc_fd, const struct thread_id *id, struct cpu_mask *mask)
{
    char *status;
    int error = procfs_status_read(proc_fd, id->pid, id->tid, &status);

    if (error)
        return error;
    char *list = procfs_status_value(status, "Cpus_allowed_list");
    list[strcspn(list, "\n")] = '\0';
    error = cpu_mask_parse(list, mask) ? -ENODATA : 0;
    free(status);
    return error;
}

/* The kernel returns EBUSY only for SCHED_DEADLINE. It becomes -ENOTSUP, because -EBUSY says here
 * that the program chose a mask. */
int affinity_set(pid_t tid, const struct cpu_mask *mask)
{
    if (!sched_setaffinity(tid, sizeof(mask->sets), mask->sets))
        return 0;
    return errno == EBUSY ? -ENOTSUP : -errno;
}

void affinity_bind(int cpu)
{
    struct cpu_mask mask;

    cpu_mask_clear(&mask);
    cpu_mask_add(&mask, cpu);
    (void)!affinity_set(0, &mask);
}

int affinity_give(pid_t tid, const struct cpu_mask *mask)
{
    int error = affinity_set(tid, mask);

    for (int i = 1; i < AFFINITY_GIVE_TRIES && error && error != -ESRCH; i++)
        error = affinity_set(tid, mask);
    return error;
}

/* Passes an empty mask: the kernel checks permission before it looks at the mask, and then refuses
 * it. */
int affinity_may_set(pid_t tid)
{
    struct cpu_mask empty;

    cpu_mask_clear(&empty);
    const int error = affinity_set(tid, &empty);
    return error == -EINVAL ? 0 : error;
}

/* When a cpuset takes the last processor of a mask away, the kernel opens the mask to all
 * processors that the cpuset has left; when it takes some, the others remain. Programs choose few
 * processors, mostly one. */
static enum affinity_owner guess(const struct cpu_mask *now, const struct cpu_mask *ours)
{
    if (cpu_mask_count(now) > cpu_mask_count(ours))
        return AFFINITY_UNDONE;
    if (cpu_mask_count(now) > 1 && cpu_mask_subset(now, ours))
        return AFFINITY_UNDONE;
    return AFFINITY_PROGRAM;
}

static bool is_left_of(const struct cpu_mask *now, const struct cpu_mask *set,
                       const struct cpu_mask *allowed)
{
    struct cpu_mask left = *set;

    cpu_mask_intersect(&left, allowed);
    return cpu_mask_equal(now, &left);
}

enum affinity_owner affinity_classify(const struct cpu_mask *now, const struct cpu_mask *ours,
                                      const struct cpu_mask *original,
                                      const struct cpu_mask *allowed)
{
    if (cpu_mask_equal(now, ours))
        return AFFINITY_OURS;
    if (cpu_mask_equal(now, original))
        return AFFINITY_USERS;
    if (!allowed)
        return guess(now, ours);
    if (is_left_of(now, ours, allowed))
        return AFFINITY_OURS;
    if (is_left_of(now, original, allowed))
        return AFFINITY_USERS;
    /* Kernels before 6.2 open the mask with every change of the cpuset, later ones only if no
     * processor of it is left. */
    return cpu_mask_equal(now, allowed) ? AFFINITY_UNDONE : AFFINITY_PROGRAM;
}

/* Reads the cpuset only if the mask is neither ours nor the original one, because that takes ten
 * times as long. */
int affinity_owner_find(const struct cpuset_files *files, const struct thread_id *id,
                        const struct cpu_mask *ours, const struct cpu_mask *original,
                        enum affinity_owner *owner)
{
    struct cpu_mask now, allowed;
    enum affinity_owner found;
    int error = affinity_get(id->tid, &now);

    if (error)
        return error;
    found = affinity_classify(&now, ours, original, NULL);
    if ((found == AFFINITY_UNDONE || found == AFFINITY_PROGRAM) &&
        !cpuset_read(files, id, &allowed))
        found = affinity_classify(&now, ours, original, &allowed);
    *owner = found;
    return 0;
}

bool affinity_is_open(const struct cpuset_files *files, const struct thread_id *id,
                      const struct cpu_mask *machine)
{
    struct cpu_mask mask, allowed;

    if (affinity_get(id->tid, &mask))
        return false;
    if (cpu_mask_subset(machine, &mask))
        return true;
    if (cpuset_read(files, id, &allowed))
        return false;
    cpu_mask_intersect(&allowed, machine);
    return cpu_mask_count(&allowed) > 0 && cpu_mask_subset(&allowed, &mask);
}
