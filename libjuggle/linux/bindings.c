/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/bindings.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/numbers.h"
#include "libjuggle/linux/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bounds the walk: parents form no circle, but a /proc that changes may look like one. */
enum { ANCESTORS_MAX = 64 };

/* For each processor, by number: the launcher of the first rank that was seen bound to it. */
struct owners {
    struct {
        pid_t pid;
        struct comm name;
    } of[CPU_MASK_CPUS_MAX];
};

/* True if the name begins as that of a launcher process next to the ranks of a node. Only the
 * nearest one counts, because two of MPICH's may have the same parent. */
static bool is_launcher(const struct comm *comm)
{
    static const char *const names[] = {
        "mpirun", "mpiexec", "orterun",         "prterun",
        "orted",  "prted",   "hydra_pmi_proxy", "slurmstepd",
    };

    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (!strncmp(comm->untrusted, names[i], strlen(names[i])))
            return true;
    return false;
}

pid_t bindings_launcher(int proc_fd, pid_t pid, struct comm *name)
{
    struct thread_stat stat;

    if (procfs_stat_read(proc_fd, pid, pid, &stat) || is_launcher(&stat.comm))
        return 0;
    for (int i = 0; i < ANCESTORS_MAX && stat.parent > 0; i++) {
        const pid_t parent = stat.parent;
        if (procfs_stat_read(proc_fd, parent, parent, &stat))
            return 0;
        *name = stat.comm;
        if (is_launcher(&stat.comm))
            return parent;
    }
    return 0;
}

static void process_see(int proc_fd, pid_t pid, const struct cpu_mask *processors,
                        struct owners *owners, struct bindings *bindings)
{
    const struct thread_id id = {pid, pid, 0};
    struct cpu_mask mask;
    struct comm name;
    const pid_t launcher = bindings_launcher(proc_fd, pid, &name);

    if (!launcher || affinity_get_whole(proc_fd, &id, &mask) || cpu_mask_subset(processors, &mask))
        return;
    cpu_mask_intersect(&mask, processors);
    for (int cpu = -1; (cpu = cpu_mask_next(&mask, cpu)) >= 0;) {
        if (!owners->of[cpu].pid) {
            owners->of[cpu].pid = launcher;
            owners->of[cpu].name = name;
        } else if (owners->of[cpu].pid != launcher) {
            cpu_mask_add(&bindings->shared, cpu);
            bindings->launchers[0] = owners->of[cpu].pid;
            bindings->names[0] = owners->of[cpu].name;
            bindings->launchers[1] = launcher;
            bindings->names[1] = name;
        }
    }
}

int bindings_read(int proc_fd, const struct cpu_mask *processors, struct bindings *bindings)
{
    struct owners *owners = calloc(1, sizeof(*owners));
    DIR *directory;
    pid_t pid;

    *bindings = (struct bindings){0};
    if (owners && !numbers_open(proc_fd, ".", &directory)) {
        while ((pid = numbers_next(directory)))
            process_see(proc_fd, pid, processors, owners, bindings);
        closedir(directory);
    }
    const int error = owners ? 0 : -ENOMEM;
    free(owners);
    return error;
}
