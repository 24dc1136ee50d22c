/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/explain.h"

#include "juggle/balance.h"
#include "juggle/command/program.h"
#include "juggle/nproc.h"
#include "juggle/telling/fit.h"
#include "juggle/telling/confinement.h"
#include "juggle/telling/hindrances.h"
#include "juggle/telling/policies.h"
#include "juggle/telling/ranks.h"
#include "juggle/telling/waiting.h"
#include "juggle/telling/which_mpi.h"
#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/bindings.h"
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
        printf("narrower than that of %s: %s has bound this process\n", name,
               getenv("SLURM_CPU_BIND") ? "Slurm" : "a launcher or taskset(1)");
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
        foreign_line(stdout, "balancing  impossible: %s", problem);
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

struct others {
    struct pins pins;
    struct bindings bindings;
    bool known;
};

static void others_read(const struct cpu_mask *usable, struct others *others)
{
    struct thread_stat own;
    int proc_fd;

    others->known = false;
    if (procfs_open(&proc_fd))
        return;
    if (procfs_stat_read(proc_fd, getpid(), getpid(), &own)) {
        close(proc_fd);
        return;
    }
    pins_read(proc_fd, usable, &others->pins);
    others->known = !bindings_read(proc_fd, usable, &others->bindings);
    close(proc_fd);
}

static void print_others(const struct others *others, const struct cpu_mask *usable)
{
    const struct pins pins = others->pins;
    char list[LIST_SIZE];

    if (!others->known) {
        puts("others     not known: /proc does not show threads");
        return;
    }
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

/* Without a command any may be used. */
static void print_policies(char *const *command, int processors)
{
    const enum mpi_kind mpi = which_mpi(command);
    const int started = ranks_of_command(command);
    const long ranks = started ? started : crowd_processes(getenv);
    const struct runtimes runtimes = {
        .used =
            {
                [RUNTIME_GOMP] = !*command || which_needs(command, "libgomp."),
                [RUNTIME_LIBOMP] = !*command || which_needs(command, "libomp") ||
                                   which_needs(command, "libiomp"),
                [RUNTIME_OPENMPI] = !*command || mpi == MPI_OPENMPI,
                [RUNTIME_MPICH] = !*command || mpi == MPI_MPICH,
            },
        .shared = ranks * crowd_threads(getenv) > processors,
        .variable = getenv,
    };
    char text[POLICY_TEXT_SIZE];
    bool any = false;

    for (int i = 0; i < RUNTIMES_COUNT; i++) {
        if (!runtimes.used[i])
            continue;
        policy_describe(&runtimes, (enum runtime)i, text);
        foreign_line(stdout, "waiting    %s: %s", runtime_name((enum runtime)i), text);
        any = true;
    }
    if (!any)
        puts("waiting    no runtime is named by the program's file; what it loads later is not "
             "known");
}

static void print_waiting(const struct settings *settings, char *const *command)
{
    struct waiting *waiting;

    if (waiting_create(settings, command, false, &waiting))
        return;
    foreign_line(stdout, "given      what the program would be told: %s", waiting_text(waiting));
    waiting_destroy(waiting);
}

/* ---- together ---- */

static void print_hindrances(const struct settings *settings, char *const *command,
                             const struct cpu_mask *mask, const struct nproc *nproc,
                             const struct others *others)
{
    const int processors = cpu_mask_count(&nproc->usable);
    const int started = ranks_of_command(command);
    const struct setup setup = {
        .processors = processors,
        .fitting = nproc->count,
        .limit = nproc_limit_name(nproc->set_by),
        .bound = mask_is_narrowed(mask),
        .ranks = crowd_processes(getenv),
        .started = started,
        .binds = ranks_are_bound(command, processors),
        .fit = settings->fit != FIT_NONE,
        .variable = getenv,
        .usable = &nproc->usable,
        .pins = others->known ? &others->pins : NULL,
        .bindings = others->known ? &others->bindings : NULL,
    };
    struct hindrances hindrances;

    hindrances_find(&setup, &hindrances);
    for (int i = 0; i < hindrances.count; i++)
        foreign_line(stdout, "in the way %s", hindrances.lines[i]);
    if (!hindrances.count)
        puts("in the way nothing that can be seen from here");
}

int explain(const struct settings *settings, char *const *command)
{
    struct nproc *nproc = calloc(2, sizeof(*nproc));
    struct cpu_mask mask;
    struct others others;
    int error = nproc ? affinity_get(0, &mask) : -ENOMEM;

    if (!error) {
        nproc_read_within(&mask, false, false, &nproc[0]);
        nproc_read_within(&mask, true, false, &nproc[1]);
        printf("threads    %d are of use, by:\n", nproc->count);
        nproc_print(nproc, stdout);
        print_mask(&mask, nproc);
        print_balancing(settings, &nproc[1]);
        others_read(&nproc->usable, &others);
        print_others(&others, &nproc->usable);
        confinement_print(stdout);
        print_policies(command, cpu_mask_count(&nproc->usable));
        if (*command)
            print_waiting(settings, command);
        print_hindrances(settings, command, &mask, nproc, &others);
        error = fflush(stdout) ? -errno : 0;
    }
    free(nproc);
    if (error)
        complain("juggle", "cannot explain: %s", strerror(-error));
    return error ? EXIT_JUGGLE_FAILED : 0;
}
