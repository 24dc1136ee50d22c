/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/parts.h"

#include "libjuggle/job/machine_parts.h"
#include "libjuggle/linux/problem.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The search for threads that have inherited a mask of ours ends when this many walks in a row have
 * found none. */
enum { QUIET_WALKS = 2 };

static int create_discovery(struct parts *parts, const struct job_options *options, char *problem)
{
    const struct discovery_options discovery = {
        .proc_fd = parts->proc_fd,
        .roots = options->roots,
        .roots_count = options->roots_count,
        .roots_included = options->roots_included,
        .threads_max = parts->policy.threads_max,
        .connector = !options->look_ns,
        .look_ns = options->look_ns,
    };
    const struct workers_options workers = {
        .expected = options->threads_expected,
        .idle = options->idle_threads,
        .idle_comm = options->idle_comm,
        .match = options->match,
        .threads_max = parts->policy.threads_max,
    };
    int error = discovery_create(&discovery, &parts->discovery);

    if (!error && options->helper)
        error = discovery_exclude(parts->discovery, options->helper);
    if (error)
        return problem_of(problem, JOB_PROBLEM_SIZE, error, "no search for threads");
    discovery_expect_threads(parts->discovery, !options->look_ns);
    error = workers_create(&workers, &parts->workers);
    return error ? problem_of(problem, JOB_PROBLEM_SIZE, error, "no table of workers") : 0;
}

/* If memory cannot be shared, as under a limit of the size of files, threads cannot report on the
 * page. That is no reason not to balance. */
static int create_page(struct parts *parts, const struct job_options *options, char *problem)
{
    int error = 0;

    parts->page = options->page;
    if (!parts->page) {
        const int processors_count = parts->machine->processors_count;
        error = page_create(processors_count, &parts->own_page);
        if (error)
            error = page_create_alone(processors_count, &parts->own_page);
        parts->page = parts->own_page;
    }
    return error ? problem_of(problem, JOB_PROBLEM_SIZE, error, "no page for reports of threads")
                 : 0;
}

/* Claims the roots, because each of two balancers would take masks of the other for the program's
 * own. The file descriptor of /proc, which each job has opened for itself, is the mark that tells
 * the jobs of a process apart. */
static int create_claims(struct parts *parts, const struct job_options *options, char *problem)
{
    struct claims_family *family = options->aside ? &parts->claims_family : options->claims_family;
    struct claim other;
    const pid_t self = getpid();
    int error;

    if (parts->policy.kind == POLICY_NONE)
        return 0;
    error = claims_create(parts->proc_fd, parts->proc_fd, family, &parts->claims);
    for (int i = 0; !error && i < options->roots_count; i++)
        error = claims_take(parts->claims, options->roots[i], &other);
    if (!error && options->aside)
        error = claims_take(parts->claims, self, &other);
    if (error == -EBUSY) {
        claim_format(&other, problem, JOB_PROBLEM_SIZE);
        return -EALREADY;
    }
    return error ? problem_of(problem, JOB_PROBLEM_SIZE, error, "no claim of the program") : 0;
}

static int create_guardian(struct parts *parts, const struct job_options *options, char *problem)
{
    const int error = guardian_create(options->table_fd, parts->proc_fd, parts->policy.threads_max,
                                      &parts->guardian);

    return error ? problem_of(problem, JOB_PROBLEM_SIZE, error, "no table of masks") : 0;
}

/* Refuses numbers of threads other than the first: the kernel takes them for their process, which
 * would have two claims then. */
static int check_roots(const struct parts *parts, const struct job_options *options, char *problem)
{
    for (int i = 0; options->roots_included && i < options->roots_count; i++) {
        const pid_t root = options->roots[i];
        pid_t process;
        if (!procfs_process_of(parts->proc_fd, root, &process) && process != root)
            return problem_say(problem, JOB_PROBLEM_SIZE, -EINVAL,
                               "%d is a thread: give its process, %d, instead", (int)root,
                               (int)process);
    }
    return 0;
}

static int create_all(struct parts *parts, const struct job_options *options, char *problem)
{
    int error = check_roots(parts, options, problem);

    if (!error)
        error = create_guardian(parts, options, problem);
    if (error)
        return error;
    error = create_claims(parts, options, problem);
    if (!error)
        error = machine_parts_read(parts, options, problem);
    if (error)
        return error;
    if (policy_footprint(parts->machine, &parts->policy) < 0)
        return problem_say(problem, JOB_PROBLEM_SIZE, -EINVAL, "period or margin is out of bounds");
    error = create_discovery(parts, options, problem);
    if (!error)
        error = create_page(parts, options, problem);
    return error ? error : machine_parts_create(parts, options, problem);
}

/* Keeps the options that a later machine is made from. The text of the speeds is copied, because it
 * may be the caller's. Processors and domains that were named are those of the first machine for
 * good. */
static int options_keep(struct parts *parts, const struct job_options *options)
{
    parts->options = (struct job_options){
        .inter_domain = options->inter_domain,
        .override = options->override,
        .follow_memory = options->follow_memory,
        .progress = options->progress,
        .shape = options->shape,
        .spin = options->spin,
        .neighbors = options->neighbors,
    };
    parts->may_grow = !options->cpus && !options->domains;
    if (!options->capacity)
        return 0;
    parts->options.capacity = parts->speeds_wish = strdup(options->capacity);
    return parts->speeds_wish ? 0 : -ENOMEM;
}

int parts_create(const struct job_options *options, char problem[JOB_PROBLEM_SIZE],
                 struct parts *parts)
{
    *parts = (struct parts){.policy = options->policy, .proc_fd = -1, .sys_fd = -1};
    int error = options_keep(parts, options);
    if (error)
        return problem_of(problem, JOB_PROBLEM_SIZE, error, "no copy of the options");
    error = procfs_open(&parts->proc_fd);
    if (error)
        return problem_of(problem, JOB_PROBLEM_SIZE, error, "no /proc");
    if (!procfs_is_own(parts->proc_fd))
        return problem_say(problem, JOB_PROBLEM_SIZE, -ESRCH,
                           "/proc belongs to another PID namespace (use unshare --mount-proc)");
    /* If there is no /sys, as in some containers, speeds and cpusets are not known. */
    (void)!sysfs_open(&parts->sys_fd);
    return create_all(parts, options, problem);
}

int parts_guard(const struct parts *parts, bool *started)
{
    const struct guardian *guardian = parts->guardian;
    int error;

    *started = false;
    /* A policy that pins no thread owes none its mask. */
    if (parts->policy.kind == POLICY_NONE)
        return 0;
    error = guardian_renew(parts->guardian, started);
    /* A guardian that could not be excluded when it was started is excluded now. */
    if (!error)
        error = discovery_exclude(parts->discovery, guardian_pid(guardian));
    return error ? error : discovery_exclude(parts->discovery, guardian_deputy_pid(guardian));
}

/* ---- end ---- */

const char *parts_fault(const struct parts *parts)
{
    const char *const faults[] = {
        engine_fault(parts->engine),   balancers_fault(parts->balancers),
        world_fault(parts->world),     discovery_fault(parts->discovery),
        workers_fault(parts->workers), intrinsic_fault(parts->intrinsic),
        claims_fault(parts->claims),   parts->follow ? follow_fault(parts->follow) : NULL,
    };
    int i = 0;

    while (i < (int)ARRAY_COUNT(faults) - 1 && !faults[i])
        i++;
    return faults[i];
}

bool parts_let_go(struct parts *parts, int64_t until_ns)
{
    return !parts->world || world_let_go(parts->world, until_ns);
}

void parts_seek(struct parts *parts, struct restoration **restoration)
{
    machine_parts_release(parts);
    /* If there is no memory for it, there is no search. */
    if (!parts->guardian || guardian_restore(parts->guardian, QUIET_WALKS, restoration))
        *restoration = NULL;
}

/* When the masks are restored, and not before, the guardian may forget them, and other balancers
 * may claim the threads. */
void parts_release(struct parts *parts)
{
    machine_parts_release(parts);
    guardian_stop(parts->guardian);
    parts->guardian = NULL;
    claims_destroy(parts->claims);
    parts->claims = NULL;
}

void parts_destroy(struct parts *parts)
{
    parts_release(parts);
    machine_parts_destroy(parts);
    discovery_destroy(parts->discovery);
    workers_destroy(parts->workers);
    page_destroy(parts->own_page);
    free(parts->speeds_wish);
    if (parts->proc_fd >= 0)
        close(parts->proc_fd);
    if (parts->sys_fd >= 0)
        close(parts->sys_fd);
}
