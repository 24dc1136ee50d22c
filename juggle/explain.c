/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/actions.h"

#include "juggle/balance.h"
#include "juggle/command/program.h"
#include "juggle/nproc.h"
#include "juggle/prepare/fit.h"
#include "juggle/prepare/confinement.h"
#include "juggle/prepare/hindrances.h"
#include "juggle/prepare/policies.h"
#include "juggle/prepare/ranks.h"
#include "juggle/prepare/waiting.h"
#include "juggle/prepare/which_mpi.h"
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

/* How many threads are of use, and what the machine has for them. */
struct room {
    pid_t starter;        /* the process that gave this process its mask */
    struct cpu_mask mask; /* as inherited */
    struct nproc own;     /* limits within that mask */
    struct nproc within;  /* limits within the part of the mask that --cpus names */
    struct nproc by_core; /* the same, with SMT siblings counted once */
};

/* ---- threads ---- */

static bool is_narrowed_by_cpus(const struct room *room)
{
    return room->within.count < room->own.count;
}

static int room_read(const struct settings *settings, struct room *room)
{
    struct cpu_mask named;
    const int error = affinity_get(0, &room->mask);

    room->starter = ranks_starter();
    if (error)
        return error;
    named = room->mask;
    fit_narrow(&settings->wish, &named);
    nproc_read_within(&room->mask, false, false, &room->own);
    nproc_read_within(&named, false, false, &room->within);
    nproc_read_within(&named, true, false, &room->by_core);
    if (is_narrowed_by_cpus(room))
        room->own.set_by = NPROC_LIMITS_COUNT; /* --cpus sets the count, none of these limits */
    return 0;
}

static void print_threads(const struct settings *settings, const struct room *room)
{
    const int count = room->within.count;

    printf("threads    %d %s of use, by:\n", count, count == 1 ? "is" : "are");
    nproc_print(&room->own, stdout);
    if (is_narrowed_by_cpus(room))
        printf("* %-9s%5d  --cpus: %s\n", "cpus", count, settings->wish.cpus);
}

/* ---- the mask, and who made it so ---- */

static void name_of(pid_t pid, char name[NAME_SIZE])
{
    struct thread_stat stat;
    int proc_fd;

    snprintf(name, NAME_SIZE, "process %d", (int)pid);
    if (procfs_open(&proc_fd))
        return;
    if (!procfs_stat_read(proc_fd, pid, pid, &stat))
        snprintf(name, NAME_SIZE, "%s (process %d)", FOREIGN(stat.comm), (int)pid);
    close(proc_fd);
}

/* True if the mask is narrower than that of the process that gave it. False if that is not
 * known. */
static bool mask_is_narrowed(const struct room *room)
{
    struct cpu_mask given;

    return !affinity_get(room->starter, &given) && !cpu_mask_equal(&room->mask, &given) &&
           cpu_mask_subset(&room->mask, &given);
}

/* If neither the machine's processors nor the cpuset can be read, the mask is not called
 * narrower than them. */
static void print_mask(const struct room *room)
{
    const struct cpu_mask *mask = &room->mask;
    const struct nproc *nproc = &room->own;
    char list[LIST_SIZE], name[NAME_SIZE];
    struct cpu_mask allowed = nproc->cpuset;
    const bool in_cpuset = nproc->limits[NPROC_CPUSET].count > 0;
    const bool on_machine = nproc->limits[NPROC_ONLINE].count > 0;

    cpu_mask_format(mask, list, sizeof(list));
    name_of(room->starter, name);
    printf("mask       cpu %s, ", list);
    if (mask_is_narrowed(room))
        printf("narrower than that of %s: %s has bound this process\n", name,
               getenv("SLURM_CPU_BIND") ? "Slurm" : "a launcher or taskset(1)");
    else if (cpu_mask_subset(&allowed, mask))
        printf("all that is left by %s\n", in_cpuset ? "the cpuset" : "the machine");
    else if (in_cpuset || on_machine)
        printf("narrower than the %s, and inherited from %s\n", in_cpuset ? "cpuset" : "machine",
               name);
    else
        printf("inherited from %s; neither machine nor cpuset can be read\n", name);
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

/* Creates a job as a run would, and moves no thread. Returns whether balancing is possible. */
static bool print_balancing(const struct settings *settings, const struct nproc *by_core)
{
    const pid_t self = getpid();
    struct job_options options = {.roots = &self, .roots_count = 1};
    char problem[JOB_PROBLEM_SIZE];
    struct job *job;

    topology_spare_plugins();
    wish_apply(&settings->wish, &options);
    if (job_create(&options, problem, &job)) {
        settings_name_option(problem, sizeof(problem));
        foreign_line(stdout, "balancing  impossible: %s", problem);
        return false;
    }
    print_machine(job, by_core);
    const bool possible = job_machine(job)->processors_count > 1;
    if (!possible)
        printf("balancing  impossible: there is one processor only\n");
    else
        printf("balancing  possible, with progress from %s: %s\n", job_source_name(job),
               job_source_reason(job));
    job_destroy(job);
    return possible;
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
    if (!procfs_stat_read(proc_fd, getpid(), getpid(), &own)) {
        pins_read(proc_fd, usable, &others->pins);
        others->known = !bindings_read(proc_fd, usable, &others->bindings);
    }
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

/* Without a command all runtimes are listed, because any of them may be used. */
static void print_policies(char *const *command, int processors)
{
    const enum mpi_kind mpi = which_mpi(command);
    const int started = ranks_of_command(command);
    const long ranks = started ? started : crowd_processes(getenv);
    const bool shared = ranks * crowd_threads(getenv) > processors;
    const bool used[RUNTIMES_COUNT] = {
        [RUNTIME_GOMP] = !*command || which_needs(command, "libgomp."),
        [RUNTIME_LIBOMP] = !*command || which_needs(command, "libomp") ||
                           which_needs(command, "libiomp"),
        [RUNTIME_OPENMPI] = !*command || mpi == MPI_OPENMPI,
        [RUNTIME_MPICH] = !*command || mpi == MPI_MPICH,
    };
    char text[POLICY_TEXT_SIZE];
    bool any = false;

    for (int i = 0; i < RUNTIMES_COUNT; i++) {
        if (!used[i])
            continue;
        policy_describe((enum runtime)i, shared, getenv, text);
        foreign_line(stdout, "waiting    %s: %s", runtime_name((enum runtime)i), text);
        any = true;
    }
    if (!any)
        puts("waiting    no runtime is named by the program's file; what it loads later is not "
             "known");
}

static void print_given(const struct settings *settings, char *const *command)
{
    char fit[FIT_TEXT_SIZE];
    struct waiting *waiting;

    if (settings->fit) {
        fit_apply(settings, command, fit);
        foreign_line(stdout, "fit        what runtimes would be told: %s", fit);
    }
    if (!*command || waiting_create(settings, command, true, &waiting))
        return;
    foreign_line(stdout, "given      what the program would be told: %s", waiting_text(waiting));
    waiting_destroy(waiting);
}

/* ---- together ---- */

/* Call it before variables are set for the program, because they would be taken for the user's. */
static void find_hindrances(const struct settings *settings, char *const *command,
                            const struct room *room, const struct others *others,
                            struct hindrances *hindrances)
{
    const struct nproc *nproc = &room->within;
    const int processors = cpu_mask_count(&nproc->usable);
    const struct setup setup = {
        .processors = processors,
        .fitting = nproc->count,
        .limit = is_narrowed_by_cpus(room) ? "--cpus" : nproc_limit_name(nproc->set_by),
        .bound = mask_is_narrowed(room),
        .ranks = crowd_processes(getenv),
        .started = ranks_of_command(command),
        .binds = ranks_are_bound(command, processors),
        .fit = settings->fit != FIT_NONE,
        .variable = getenv,
        .usable = &nproc->usable,
        .pins = others->known ? &others->pins : NULL,
        .bindings = others->known ? &others->bindings : NULL,
    };

    hindrances_find(&setup, hindrances);
}

static void print_hindrances(const struct hindrances *hindrances, bool possible)
{
    for (int i = 0; i < hindrances->count; i++)
        foreign_line(stdout, "in the way %s", hindrances->lines[i]);
    if (!hindrances->count)
        printf("in the way nothing %s\n",
               possible ? "that can be seen from here" : "but what makes balancing impossible");
}

static void print_all(const struct settings *settings, char *const *command,
                      const struct room *room)
{
    const struct cpu_mask *usable = &room->within.usable;
    struct hindrances hindrances;
    struct others others;

    print_threads(settings, room);
    print_mask(room);
    const bool possible = print_balancing(settings, &room->by_core);
    others_read(usable, &others);
    print_others(&others, usable);
    confinement_print(stdout);
    print_policies(command, cpu_mask_count(usable));
    find_hindrances(settings, command, room, &others, &hindrances);
    print_given(settings, command);
    print_hindrances(&hindrances, possible);
}

int explain(const struct settings *settings, char *const *command)
{
    struct room *room = calloc(1, sizeof(*room)); /* 100 KB */
    int error = room ? room_read(settings, room) : -ENOMEM;

    if (!error) {
        print_all(settings, command, room);
        error = stdout_flush();
    }
    free(room);
    if (error)
        complain("juggle", "cannot explain: %s", strerror(-error));
    return error ? EXIT_JUGGLE_FAILED : 0;
}
