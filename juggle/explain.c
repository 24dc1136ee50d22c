/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/explain.h"

#include "juggle/balance.h"
#include "juggle/command/program.h"
#include "juggle/nproc.h"
#include "juggle/telling/fit.h"
#include "juggle/telling/confinement.h"
#include "juggle/telling/hindrances.h"
#include "juggle/telling/ranks.h"
#include "juggle/telling/waiting.h"
#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/capacity.h"
#include "libjuggle/linux/pins.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/topology.h"
#include "cli/foreign.h"
#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIST_SIZE = 256, NAME_SIZE = 64 };

static const char *environment(const char *name)
{
    return getenv(name);
}

/* ---- the mask, and who made it so ---- */

static void parent_name(char name[NAME_SIZE])
{
    struct thread_stat stat;
    int proc_fd;

    snprintf(name, NAME_SIZE, "process %d", (int)getppid());
    if (procfs_open(&proc_fd))
        return;
    if (!procfs_stat_read(proc_fd, getppid(), getppid(), &stat))
        snprintf(name, NAME_SIZE, "%s (process %d)", FOREIGN(stat.comm), (int)getppid());
    close(proc_fd);
}

/* False where that is not known. */
static bool mask_is_narrowed(const struct cpu_mask *mask)
{
    struct cpu_mask parent;

    return !affinity_get(getppid(), &parent) && !cpu_mask_equal(mask, &parent) &&
           cpu_mask_subset(mask, &parent);
}

static void print_mask(const struct cpu_mask *mask, const struct nproc *nproc)
{
    char list[LIST_SIZE], name[NAME_SIZE];
    struct cpu_mask allowed = nproc->cpuset;

    cpu_mask_format(mask, list, sizeof(list));
    parent_name(name);
    printf("mask       cpu %s, ", list);
    if (mask_is_narrowed(mask))
        printf("narrower than that of %s: a launcher or taskset(1) has bound this process\n", name);
    else if (cpu_mask_subset(&allowed, mask))
        printf("all that is left by %s\n",
               nproc->limits[NPROC_CPUSET].count ? "the cpuset" : "the machine");
    else
        printf("narrower than the cpuset, and inherited from %s\n", name);
}

/* ---- the machine, and whether it can be balanced ---- */

static void print_machine(const struct job *job, const struct nproc *by_core)
{
    const struct machine *machine = job_machine(job);
    const struct capacity *capacity = job_capacity(job);

    printf("machine    processors: %d, cores: %d, domains: %d, speeds: %s\n",
           machine->processors_count, by_core->limits[NPROC_CORES].count, machine->domains_count,
           *capacity->speeds ? capacity->speeds : "not known");
}

/* Prepares what a run would, and touches nobody. */
static void print_balancing(const struct settings *settings, const struct nproc *by_core)
{
    const pid_t self = getpid();
    struct job_options options = {.roots = &self, .roots_count = 1};
    char problem[JOB_PROBLEM_SIZE];
    struct job *job;

    topology_spare_plugins();
    wish_apply(&settings->wish, &options);
    if (job_create(&options, problem, &job)) {
        printf("balancing  impossible: %s\n", problem);
        return;
    }
    print_machine(job, by_core);
    if (job_machine(job)->processors_count < 2)
        printf("balancing  impossible: there is one processor only\n");
    else
        printf("balancing  possible, with progress from %s: %s\n", job_source_name(job),
               job_source_reason(job));
    job_destroy(job);
}

/* ---- others ---- */

static void print_others(const struct cpu_mask *usable)
{
    char list[LIST_SIZE];
    struct pins pins;
    int proc_fd;

    if (procfs_open(&proc_fd))
        return;
    pins_read(proc_fd, usable, &pins);
    close(proc_fd);
    if (!pins.threads_count) {
        puts("others     nobody who runs here is pinned to one processor");
        return;
    }
    const int pinned = cpu_mask_count(&pins.processors);
    cpu_mask_format(&pins.processors, list, sizeof(list));
    printf("others     running threads that are pinned here: %d on cpu %s; processors without any: "
           "%d\n",
           pins.threads_count, list, cpu_mask_count(usable) - pinned);
}

/* ---- what runtimes do ---- */

static void print_openmp(void)
{
    static const char *const names[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"};
    bool set = false;

    printf("OpenMP     ");
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (!getenv(names[i]))
            continue;
        printf("%s%s=%s", set ? " " : "", names[i], getenv(names[i]));
        set = true;
    }
    puts(set ? " says how threads wait"
             : "threads wait as their runtime has it: they spin first, "
               "then sleep");
}

static void print_waiting(const struct settings *settings, char *const *command)
{
    struct waiting *waiting;

    if (waiting_create(settings, command, false, &waiting))
        return;
    printf("waiting    the program would be given: %s\n", waiting_text(waiting));
    waiting_destroy(waiting);
}

/* ---- together ---- */

static void print_hindrances(const struct settings *settings, char *const *command,
                             const struct cpu_mask *mask, const struct nproc *nproc)
{
    const int processors = cpu_mask_count(&nproc->usable);
    const int started = ranks_of_command(command);
    const struct setup setup = {
        .processors = processors,
        .fitting = nproc->count,
        .limit = nproc_limit_name(nproc->set_by),
        .bound = mask_is_narrowed(mask),
        .ranks = crowd_processes(environment),
        .started = started,
        .binds = ranks_are_bound(command, processors),
        .fit = settings->fit != FIT_NONE,
        .variable = environment,
    };
    struct hindrances hindrances;

    hindrances_find(&setup, &hindrances);
    for (int i = 0; i < hindrances.count; i++)
        printf("in the way %s\n", hindrances.lines[i]);
    if (!hindrances.count)
        puts("in the way nothing that can be seen from here");
}

int explain(const struct settings *settings, char *const *command)
{
    struct nproc *nproc = calloc(2, sizeof(*nproc));
    struct cpu_mask mask;
    int error = nproc ? affinity_get(0, &mask) : -ENOMEM;

    if (!error) {
        nproc_read_within(&mask, false, false, &nproc[0]);
        nproc_read_within(&mask, true, false, &nproc[1]);
        printf("threads    %d are of use, by:\n", nproc->count);
        nproc_print(nproc, stdout);
        print_mask(&mask, nproc);
        print_balancing(settings, &nproc[1]);
        print_others(&nproc->usable);
        confinement_print(stdout);
        print_openmp();
        if (*command)
            print_waiting(settings, command);
        print_hindrances(settings, command, &mask, nproc);
        error = fflush(stdout) ? -errno : 0;
    }
    free(nproc);
    if (error)
        complain("juggle", "cannot explain: %s", strerror(-error));
    return error ? EXIT_JUGGLE_FAILED : 0;
}
