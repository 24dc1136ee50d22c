/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/parts.h"

#include "libjuggle/job/usable_machine.h"
#include "libjuggle/linux/problem.h"
#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In a row that find nobody who was born with a pin, when all pins are gone. */
enum { QUIET_WALKS = 2 };

/* How much memory may follow per second: far below what a memory bus moves. */
#define FOLLOW_BYTES_PER_SECOND (INT64_C(256) << 20)

static int create_machine(struct parts *parts, const struct job_options *options, char *problem)
{
    parts->machine = calloc(1, sizeof(*parts->machine));
    if (!parts->machine)
        return problem_of(problem, JOB_PROBLEM_SIZE, -ENOMEM, "no memory for the machine");
    return usable_machine_load(options, parts->sys_fd, parts->machine, &parts->capacity, problem);
}

/* The privilege that a source needs. */
static const char *source_needs(enum progress_kind kind)
{
    switch (kind) {
    case PROGRESS_TASKSTATS:
        return ", which needs CAP_NET_ADMIN";
    case PROGRESS_PERF:
        return ", which needs CAP_PERFMON or a lower kernel.perf_event_paranoid";
    case PROGRESS_AUTO:
    case PROGRESS_SCHEDSTAT:
    case PROGRESS_KINDS_COUNT:
        break;
    }
    return "";
}

/* "auto" is no source: schedstat needs the least. */
static int progress_problem(enum progress_kind kind, int error, char *problem)
{
    const bool refused = error == -EPERM || error == -EACCES;
    const char *name = kind == PROGRESS_AUTO ? "any source" : progress_kind_name(kind);

    if (error == -ESRCH || error == -ENOENT)
        return problem_say(problem, JOB_PROBLEM_SIZE, error,
                           "no progress from %s: /proc does not show threads", name);
    return problem_of(problem, JOB_PROBLEM_SIZE, error, "no progress from %s%s", name,
                      refused ? source_needs(kind) : "");
}

static int create_world(struct parts *parts, const struct job_options *options, char *problem)
{
    struct cpu_mask given;
    int error = affinity_get(0, &given);

    if (error)
        return problem_of(problem, JOB_PROBLEM_SIZE, error,
                          "no affinity masks (sched_getaffinity)");
    /* A filter of system calls refuses it for every thread, the first that is moved and this one.
     */
    error = affinity_may_set(0);
    if (error)
        return problem_of(problem, JOB_PROBLEM_SIZE, error,
                          "no thread can be moved (sched_setaffinity)");
    const struct world_options world = {
        .machine = parts->machine,
        .proc_fd = parts->proc_fd,
        .sys_fd = parts->sys_fd,
        .threads_max = parts->policy.threads_max,
        .readers_max = parts->machine->processors_count + 1,
        .progress = options->progress,
        .given = &given,
        .guardian = parts->guardian,
        .override = options->override,
        /* Nobody would move a thread home whom nobody samples. */
        .open = parts->policy.kind != POLICY_STATIC,
    };
    error = world_create(&world, &parts->world);
    if (error)
        return progress_problem(options->progress, error, problem);
    return 0;
}

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
    discovery_wait(parts->discovery, !options->look_ns);
    error = workers_create(&workers, &parts->workers);
    return error ? problem_of(problem, JOB_PROBLEM_SIZE, error, "no table of workers") : 0;
}

static int memory_move(void *context, pid_t pid, int processor, int64_t at_ns)
{
    return memory_follow(context, pid, processor, at_ns);
}

static int create_memory(struct parts *parts, const struct job_options *options, char *problem)
{
    const struct memory_options memory = {
        .proc_fd = parts->proc_fd,
        .bytes_per_second = options->follow_memory ? FOLLOW_BYTES_PER_SECOND : 0,
    };
    int error = memory_create(parts->machine, &memory, &parts->memory);

    if (!error && memory_may_follow(parts->memory)) {
        const struct follow_port port = {memory_move, parts->memory};
        error = follow_create(parts->policy.threads_max, &port, &parts->follow);
    }
    return error ? problem_of(problem, JOB_PROBLEM_SIZE, error, "no table of memory") : 0;
}

static int slot_id(void *context, int slot, struct thread_id *id)
{
    return world_thread(context, slot, id);
}

/* Where memory cannot be shared, as under a limit of the size of files, nobody tells anything of
 * himself: no reason not to balance. */
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
    return error ? problem_of(problem, JOB_PROBLEM_SIZE, error, "no page of waits") : 0;
}

static int create_intrinsic(struct parts *parts, char *problem)
{
    const struct intrinsic_threads threads = {slot_id, parts->world};
    int error = intrinsic_create(parts->policy.threads_max, &threads, parts->page,
                                 &parts->intrinsic);

    return error ? problem_of(problem, JOB_PROBLEM_SIZE, error, "no table of work done") : 0;
}

static int create_spinners(struct parts *parts, const struct job_options *options, char *problem)
{
    const struct spinners_options spinners = {
        /* A job that only watches changes nothing unasked. */
        .mode = options->spin == SPIN_AUTO && parts->policy.kind == POLICY_NONE ? SPIN_NEVER
                                                                                : options->spin,
        .machine = parts->machine,
        .world = parts->world,
        .page = parts->page,
        .proc_fd = parts->proc_fd,
        .threads_max = parts->policy.threads_max,
    };
    const int error = spinners_create(&spinners, &parts->spinners);

    return error ? problem_of(problem, JOB_PROBLEM_SIZE, error, "no table of who spins") : 0;
}

static int create_for_machine(struct parts *parts, const struct job_options *options, char *problem)
{
    int error = create_world(parts, options, problem);

    if (error)
        return error;
    error = create_memory(parts, options, problem);
    if (!error)
        error = create_intrinsic(parts, problem);
    return error ? error : create_spinners(parts, options, problem);
}

/* Of two balancers each would take the pins of the other for the program's masks. Each job has
 * opened /proc for itself: that number tells apart the jobs of a process. */
static int create_claims(struct parts *parts, const struct job_options *options, char *problem)
{
    struct claim other;
    const pid_t self = getpid();
    int error;

    if (parts->policy.kind == POLICY_NONE)
        return 0;
    error = claims_create(parts->proc_fd, parts->proc_fd, options->aside, &parts->claims);
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

static int create_all(struct parts *parts, const struct job_options *options, char *problem)
{
    int error = create_guardian(parts, options, problem);

    if (error)
        return error;
    error = create_claims(parts, options, problem);
    if (!error)
        error = create_machine(parts, options, problem);
    if (error)
        return error;
    if (policy_footprint(parts->machine, &parts->policy) < 0)
        return problem_say(problem, JOB_PROBLEM_SIZE, -EINVAL, "period or margin is out of bounds");
    error = create_discovery(parts, options, problem);
    if (!error)
        error = create_page(parts, options, problem);
    return error ? error : create_for_machine(parts, options, problem);
}

/* What a later machine is made by, the wish for its speeds as a copy: the text may be the caller's.
 * Processors and domains that were named are those of the first for good. */
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
    /* Without /sys, as in some containers, neither speeds nor cpusets are told. */
    (void)!sysfs_open(&parts->sys_fd);
    return create_all(parts, options, problem);
}

int parts_start(struct parts *parts, const struct engine_recorder *recorder)
{
    struct ports ports;

    world_ports(parts->world, &ports);
    intrinsic_wrap(parts->intrinsic, &ports);
    int error = engine_create(parts->machine, &parts->policy, &ports, recorder, &parts->engine);
    if (error)
        return error;
    error = balancers_start(parts->options.shape, parts->machine, parts->engine, &parts->balancers);
    if (error) {
        /* An engine tells that there are balancers. */
        engine_destroy(parts->engine);
        parts->engine = NULL;
    }
    return error;
}

int parts_guard(const struct parts *parts, bool *started)
{
    const struct guardian *guardian = parts->guardian;
    int error = guardian_renew(parts->guardian, started);

    if (error || !*started)
        return error;
    error = discovery_exclude(parts->discovery, guardian_pid(guardian));
    return error ? error : discovery_exclude(parts->discovery, guardian_deputy_pid(guardian));
}

/* ---- end ---- */

void parts_halt(struct parts *parts)
{
    spinners_destroy(parts->spinners);
    balancers_stop(parts->balancers);
    engine_destroy(parts->engine);
    parts->spinners = NULL;
    parts->balancers = NULL;
    parts->engine = NULL;
}

/* The world restores the masks. */
static void release_for_machine(struct parts *parts)
{
    parts_halt(parts);
    world_destroy(parts->world);
    parts->world = NULL;
}

static void destroy_for_machine(struct parts *parts)
{
    release_for_machine(parts);
    follow_destroy(parts->follow);
    memory_destroy(parts->memory);
    intrinsic_destroy(parts->intrinsic);
    free(parts->machine);
}

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
    release_for_machine(parts);
    /* Without memory nobody is looked for. */
    if (!parts->guardian || guardian_restore(parts->guardian, QUIET_WALKS, restoration))
        *restoration = NULL;
}

/* Only when the masks are restored may the guardian forget them, and others take the threads. */
void parts_release(struct parts *parts)
{
    release_for_machine(parts);
    guardian_stop(parts->guardian);
    parts->guardian = NULL;
    claims_destroy(parts->claims);
    parts->claims = NULL;
}

void parts_destroy(struct parts *parts)
{
    parts_release(parts);
    destroy_for_machine(parts);
    discovery_destroy(parts->discovery);
    workers_destroy(parts->workers);
    page_destroy(parts->own_page);
    free(parts->speeds_wish);
    if (parts->proc_fd >= 0)
        close(parts->proc_fd);
    if (parts->sys_fd >= 0)
        close(parts->sys_fd);
}

/* ---- another machine ---- */

/* The parts that outlive a change of the machine. */
static struct parts lasting(const struct parts *parts)
{
    struct parts left = *parts;

    left.machine = NULL;
    left.world = NULL;
    left.memory = NULL;
    left.follow = NULL;
    left.intrinsic = NULL;
    left.engine = NULL;
    left.balancers = NULL;
    left.spinners = NULL;
    return left;
}

static bool has_same_processors(const struct machine *a, const struct machine *b)
{
    struct cpu_mask of_a = {0}, of_b = {0};

    for (int i = 0; i < a->processors_count; i++)
        cpu_mask_add(&of_a, a->processors[i].os_index);
    for (int i = 0; i < b->processors_count; i++)
        cpu_mask_add(&of_b, b->processors[i].os_index);
    return cpu_mask_equal(&of_a, &of_b);
}

/* Whoever has named processors or domains has the same ones again. */
static int machine_remake(const struct parts *parts, struct parts *made)
{
    char problem[JOB_PROBLEM_SIZE];

    if (parts->may_grow)
        return create_machine(made, &made->options, problem);
    made->machine = malloc(sizeof(*made->machine));
    if (!made->machine)
        return -ENOMEM;
    *made->machine = *parts->machine;
    return 0;
}

int parts_renew(const struct parts *parts, const struct engine_recorder *recorder, bool anew,
                struct parts *fresh)
{
    struct parts made = lasting(parts);
    char problem[JOB_PROBLEM_SIZE];
    int error = machine_remake(parts, &made);

    if (!error && !anew && has_same_processors(parts->machine, made.machine))
        error = -EALREADY;
    if (!error)
        error = create_for_machine(&made, &made.options, problem);
    if (!error)
        error = parts_start(&made, recorder);
    if (error)
        destroy_for_machine(&made);
    else
        *fresh = made;
    return error;
}

void parts_replace(struct parts *parts, const struct parts *fresh)
{
    struct parts old = *parts;

    /* Balancers and observers look at the parts as long as they live. */
    balancers_stop(parts->balancers);
    old.balancers = NULL;
    *parts = *fresh;
    destroy_for_machine(&old);
}
