/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/linux/nproc.h"

#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/capacity.h"
#include "libjuggle/linux/cpuset.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/sysfs.h"
#include "libjuggle/linux/topology_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPU_DIRECTORY "devices/system/cpu"

const char *nproc_limit_name(enum nproc_limit_kind kind)
{
    static const char *const names[NPROC_LIMITS_COUNT] = {
        [NPROC_ONLINE] = "online",     [NPROC_CPUSET] = "cpuset", [NPROC_AFFINITY] = "affinity",
        [NPROC_ISOLATED] = "isolated", [NPROC_FAST] = "fast",     [NPROC_CORES] = "cores",
        [NPROC_QUOTA] = "quota",
    };

    return names[kind];
}

/* ---- limits that are sets of processors ---- */

/* Narrows the usable processors. A limit that leaves none is ignored, because it contradicts the
 * others, as in a recorded /sys. */
static void limit_narrow(struct nproc *nproc, enum nproc_limit_kind kind,
                         const struct cpu_mask *allowed)
{
    struct cpu_mask left = nproc->usable;
    struct nproc_limit *limit = &nproc->limits[kind];

    cpu_mask_intersect(&left, allowed);
    (void)cpu_mask_format(allowed, limit->detail, sizeof(limit->detail));
    if (!cpu_mask_count(&left))
        return;
    nproc->usable = left;
    limit->count = cpu_mask_count(&left);
}

static void limit_online(const struct nproc_question *question, struct nproc *nproc)
{
    struct cpu_mask online;

    snprintf(nproc->limits[NPROC_ONLINE].path, NPROC_PATH_SIZE, "/sys/" CPU_DIRECTORY "/online");
    if (!sysfs_list_read(question->sys_fd, CPU_DIRECTORY "/online", &online))
        limit_narrow(nproc, NPROC_ONLINE, &online);
}

static void limit_cpuset(const struct nproc_question *question, struct nproc *nproc)
{
    const struct cpuset_files files = {question->proc_fd, question->sys_fd};
    char path[CPUSET_PATH_SIZE];
    struct cpu_mask allowed;

    if (!cpuset_find(&files, question->who, &allowed, path)) {
        snprintf(nproc->limits[NPROC_CPUSET].path, NPROC_PATH_SIZE, "/sys/%s", path);
        limit_narrow(nproc, NPROC_CPUSET, &allowed);
    }
    nproc->cpuset = nproc->usable;
}

static void limit_affinity(const struct nproc_question *question, struct nproc *nproc)
{
    if (!question->mask || !cpu_mask_count(question->mask))
        return;
    snprintf(nproc->limits[NPROC_AFFINITY].path, NPROC_PATH_SIZE, "sched_getaffinity(2)");
    limit_narrow(nproc, NPROC_AFFINITY, question->mask);
}

/* A process that is bound to isolated processors alone is meant to use them. */
static void limit_isolated(const struct nproc_question *question, struct nproc *nproc)
{
    struct nproc_limit *limit = &nproc->limits[NPROC_ISOLATED];
    struct cpu_mask isolated, others = nproc->usable;

    if (sysfs_list_read(question->sys_fd, CPU_DIRECTORY "/isolated", &isolated))
        return;
    cpu_mask_subtract(&others, &isolated);
    snprintf(limit->path, sizeof(limit->path), "/sys/" CPU_DIRECTORY "/isolated");
    limit_narrow(nproc, NPROC_ISOLATED, &others);
    (void)cpu_mask_format(&isolated, limit->detail, sizeof(limit->detail));
}

/* ---- kinds and cores ---- */

static int machine_of(const struct cpu_mask *mask, struct machine *machine)
{
    *machine = (struct machine){.domains_count = 1};
    for (int cpu = -1; (cpu = cpu_mask_next(mask, cpu)) >= 0;) {
        if (machine->processors_count == MACHINE_PROCESSORS_MAX)
            return -1;
        machine->processors[machine->processors_count++] = (struct processor){.os_index = cpu};
    }
    return 0;
}

/* Unless the speed of every processor is known, all count as one kind. */
static void limit_fast(const struct nproc_question *question, struct nproc *nproc)
{
    static const struct topology_speeds untold = {.this_system = true};
    struct nproc_limit *limit = &nproc->limits[NPROC_FAST];
    struct machine *machine = malloc(sizeof(*machine));
    struct capacity capacity;
    struct cpu_mask fast;

    if (!machine || machine_of(&nproc->usable, machine) ||
        capacity_set(NULL, question->sys_fd, &untold, machine, &capacity))
        goto done;
    cpu_mask_clear(&fast);
    for (int i = 0; i < machine->processors_count; i++)
        if (machine_rate(machine, i) == RATE_ONE)
            cpu_mask_add(&fast, machine->processors[i].os_index);
    snprintf(limit->path, sizeof(limit->path), "/sys/" CPU_DIRECTORY " (%s)", capacity.source);
    limit_narrow(nproc, NPROC_FAST, &fast);
done:
    free(machine);
}

/* A core counts once, by the first of its siblings that may be used. */
static void limit_cores(const struct nproc_question *question, struct nproc *nproc)
{
    struct nproc_limit *limit = &nproc->limits[NPROC_CORES];
    struct cpu_mask seen, firsts;

    cpu_mask_clear(&seen);
    cpu_mask_clear(&firsts);
    for (int cpu = -1; (cpu = cpu_mask_next(&nproc->usable, cpu)) >= 0;) {
        struct cpu_mask siblings;
        if (cpu_mask_has(&seen, cpu))
            continue;
        cpu_mask_add(&firsts, cpu);
        if (!topology_sysfs_siblings(question->sys_fd, cpu, &siblings))
            cpu_mask_unite(&seen, &siblings);
    }
    snprintf(limit->path, sizeof(limit->path),
             "/sys/" CPU_DIRECTORY "/cpu*/topology/thread_siblings_list");
    limit->count = cpu_mask_count(&firsts);
    (void)cpu_mask_format(&firsts, limit->detail, sizeof(limit->detail));
}

/* ---- time ---- */

static void limit_quota(const struct nproc_question *question, struct nproc *nproc)
{
    struct nproc_limit *limit = &nproc->limits[NPROC_QUOTA];
    struct quota quota;
    int error = quota_find(question->proc_fd, question->sys_fd, question->who, &quota);

    if (!error) {
        limit->count = quota_processors(&quota);
        snprintf(limit->path, sizeof(limit->path), "/sys/%s", quota.path);
        snprintf(limit->detail, sizeof(limit->detail), "%" PRId64 " us in each %" PRId64 " us",
                 quota.quota_us, quota.period_us);
    } else if (*quota.garbage) {
        snprintf(limit->path, sizeof(limit->path), "/sys/%s", quota.garbage);
        snprintf(limit->detail, sizeof(limit->detail), "contains no valid quota: ignored");
    }
}

/* ---- together ---- */

/* Takes the least of the limits. The first limit with that count sets it: later ones only repeat
 * it. */
static void count_set(const struct nproc_question *question, struct nproc *nproc)
{
    nproc->count = 0;
    nproc->set_by = NPROC_ONLINE;
    for (int kind = 0; kind < NPROC_LIMITS_COUNT; kind++) {
        const int count = nproc->limits[kind].count;
        if (count < 1 || (nproc->count && count >= nproc->count))
            continue;
        nproc->count = count;
        nproc->set_by = (enum nproc_limit_kind)kind;
    }
    if (nproc->count)
        return;
    struct nproc_limit *limit = &nproc->limits[NPROC_ONLINE];
    limit->count = nproc->count = (int)max_i64(1, question->fallback);
    snprintf(limit->path, sizeof(limit->path), "sysconf(3)");
    snprintf(limit->detail, sizeof(limit->detail),
             "number of online processors, because no limit could be read");
}

void nproc_read(const struct nproc_question *question, struct nproc *nproc)
{
    memset(nproc, 0, sizeof(*nproc));
    cpu_mask_fill(&nproc->usable);
    limit_online(question, nproc);
    limit_cpuset(question, nproc);
    limit_affinity(question, nproc);
    if (cpu_mask_count(&nproc->usable) < CPU_MASK_CPUS_MAX) {
        limit_isolated(question, nproc);
        if (question->fast)
            limit_fast(question, nproc);
        if (question->cores)
            limit_cores(question, nproc);
    }
    limit_quota(question, nproc);
    count_set(question, nproc);
}

void nproc_read_within(const struct cpu_mask *mask, bool cores, bool fast, struct nproc *nproc)
{
    struct nproc_question question = {
        .proc_fd = -1,
        .sys_fd = -1,
        .who = "thread-self",
        .mask = mask,
        .fallback = (int)sysconf(_SC_NPROCESSORS_ONLN),
        .cores = cores,
        .fast = fast,
    };

    if (procfs_open(&question.proc_fd))
        question.proc_fd = -1;
    if (sysfs_open(&question.sys_fd))
        question.sys_fd = -1;
    nproc_read(&question, nproc);
    if (question.sys_fd >= 0)
        close(question.sys_fd);
    if (question.proc_fd >= 0)
        close(question.proc_fd);
}

void nproc_read_own(bool cores, bool fast, struct nproc *nproc)
{
    struct cpu_mask mask;
    int error = affinity_get(0, &mask);

    nproc_read_within(error ? NULL : &mask, cores, fast, nproc);
}
