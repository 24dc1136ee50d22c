/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/machine_parts.h"

#include "libjuggle/linux/problem.h"
#include "libjuggle/linux/topology.h"
#include "libjuggle/linux/topology_mistake.h"

#include <errno.h>
#include <stdlib.h>

/* How much memory may follow per second: far below what a memory bus moves. */
#define FOLLOW_BYTES_PER_SECOND (INT64_C(256) << 20)

/* ---- the machine ---- */

/* Policies place surplus threads on the first processors of a domain. So processors with the fewest
 * threads of others come first; equal ones stay in order. */
static void order_by(const int *counts, struct machine *machine)
{
    for (int i = 1; i < machine->processors_count; i++) {
        const struct processor moved = machine->processors[i];
        int to = i;
        while (to > 0 && machine->processors[to - 1].domain == moved.domain &&
               counts[machine->processors[to - 1].os_index] > counts[moved.os_index]) {
            machine->processors[to] = machine->processors[to - 1];
            to--;
        }
        machine->processors[to] = moved;
    }
}

static int order_machine(struct machine *machine, const struct job_options *options)
{
    int *counts;

    if (!options->neighbors.count)
        return 0;
    counts = malloc(CPU_MASK_CPUS_MAX * sizeof(*counts));
    if (!counts)
        return -ENOMEM;
    options->neighbors.count(options->neighbors.context, counts);
    order_by(counts, machine);
    free(counts);
    return 0;
}

static int read_capacity(const struct job_options *options, int sys_fd,
                         const struct topology_speeds *speeds, struct machine *machine,
                         struct capacity *capacity, char *problem)
{
    const int error = capacity_set(options->capacity, sys_fd, speeds, machine, capacity);

    if (error)
        return problem_say(problem, JOB_PROBLEM_SIZE, error,
                           "capacity: must be auto, equal or a list of speeds such as 1x4,0.6x4");
    return 0;
}

/* Loads the part of the machine that the job may use, with the speeds of its processors. In each
 * domain, the processors with the fewest threads of other jobs come first. */
static int load(const struct job_options *options, int sys_fd, struct machine *machine,
                struct capacity *capacity, char *problem)
{
    struct topology_speeds speeds;
    char mistake[TOPOLOGY_MISTAKE_SIZE];
    const struct topology_options topology = {
        .cpus = options->cpus,
        .domains = options->domains,
        .inter_domain = options->inter_domain,
    };
    int error = topology_load(&topology, machine, &speeds);

    if (error) {
        topology_mistake(&topology, error, mistake);
        /* -EDOM says that the list of domains is wrong, which matters for the words alone. */
        return problem_say(problem, JOB_PROBLEM_SIZE, error == -EDOM ? -EINVAL : error, "%s",
                           mistake);
    }
    if (machine->processors_count < 2 && (options->cpus || options->domains))
        return problem_say(problem, JOB_PROBLEM_SIZE, -ENODEV,
                           "%s: this leaves one processor, so nothing can be balanced; the "
                           "program may use all that it has",
                           options->cpus ? "cpus" : "domains");
    error = read_capacity(options, sys_fd, &speeds, machine, capacity, problem);
    if (error)
        return error;
    error = order_machine(machine, options);
    if (error)
        return problem_say(problem, JOB_PROBLEM_SIZE, error, "no memory to read the machine");
    return 0;
}

int machine_parts_read(struct parts *parts, const struct job_options *options, char *problem)
{
    parts->machine = calloc(1, sizeof(*parts->machine));
    if (!parts->machine)
        return problem_of(problem, JOB_PROBLEM_SIZE, -ENOMEM, "no memory for the machine");
    return load(options, parts->sys_fd, parts->machine, &parts->capacity, problem);
}

/* ---- what runs on it ---- */

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

/* "auto" is not the name of a source. If it fails no source works, because schedstat needs the
 * least. */
static int progress_problem(enum progress_kind kind, int error, char *problem)
{
    const bool refused = error == -EPERM || error == -EACCES;
    const char *name = kind == PROGRESS_AUTO ? "any source" : progress_kind_name(kind);

    if (error == -ESRCH || error == -ENOENT)
        return problem_say(problem, JOB_PROBLEM_SIZE, error,
                           "no progress from %s: /proc does not show threads", name);
    if (error == -ENOTSUP)
        return problem_say(problem, JOB_PROBLEM_SIZE, error,
                           "no progress from %s: this kernel or this build does not have it", name);
    return problem_of(problem, JOB_PROBLEM_SIZE, error, "no progress from %s%s", name,
                      refused ? source_needs(kind) : "");
}

static int create_world(struct parts *parts, const struct job_options *options, char *problem)
{
    struct cpu_mask given;
    int error = affinity_get(0, &given);

    if (error)
        return problem_of(problem, JOB_PROBLEM_SIZE, error,
                          "affinity masks cannot be read (sched_getaffinity)");
    /* A filter of system calls refuses sched_setaffinity() for every thread, so one try on this
     * thread tells. If this one has SCHED_DEADLINE, that says nothing of others, because threads do
     * not inherit it. */
    error = affinity_may_set(0);
    if (error && error != -ENOTSUP)
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
        .debts = guardian_debts(parts->guardian),
        .override = options->override,
        /* With open masks, sampling moves threads home: a static policy does not sample. */
        .open = parts->policy.kind != POLICY_STATIC,
    };
    error = world_create(&world, &parts->world);
    if (error)
        return progress_problem(options->progress, error, problem);
    return 0;
}

static int memory_move(void *context, pid_t pid, int processor, int64_t at_ns)
{
    return memory_follow(context, pid, processor, at_ns);
}

static int create_memory(struct parts *parts, const struct job_options *options, char *problem)
{
    const struct memory_options memory = {
        .proc_fd = parts->proc_fd,
        .sys_fd = parts->sys_fd,
        .bytes_per_second = options->follow_memory ? FOLLOW_BYTES_PER_SECOND : 0,
    };
    int error = memory_create(parts->machine, &memory, &parts->memory);

    if (!error && memory_may_follow(parts->memory)) {
        const struct follow_port port = {memory_move, parts->memory};
        error = follow_create(parts->policy.threads_max, &port, &parts->follow);
    }
    return error ? problem_of(problem, JOB_PROBLEM_SIZE, error, "no table of where memory is") : 0;
}

static int world_thread_id(void *context, int index, struct thread_id *id)
{
    return world_thread(context, index, id);
}

static int create_intrinsic(struct parts *parts, char *problem)
{
    const struct intrinsic_threads threads = {world_thread_id, parts->world};
    int error = intrinsic_create(parts->policy.threads_max, &threads, parts->page,
                                 &parts->intrinsic);

    return error ? problem_of(problem, JOB_PROBLEM_SIZE, error, "no table of work done") : 0;
}

static int create_spinners(struct parts *parts, const struct job_options *options, char *problem)
{
    const struct spinners_options spinners = {
        .mode = options->spin,
        .machine = parts->machine,
        .world = parts->world,
        .page = parts->page,
        .proc_fd = parts->proc_fd,
        .threads_max = parts->policy.threads_max,
    };
    const int error = spinners_create(&spinners, &parts->spinners);

    return error ? problem_of(problem, JOB_PROBLEM_SIZE, error, "no table of spinning threads") : 0;
}

int machine_parts_create(struct parts *parts, const struct job_options *options, char *problem)
{
    int error = create_world(parts, options, problem);

    if (error)
        return error;
    error = create_memory(parts, options, problem);
    if (!error)
        error = create_intrinsic(parts, problem);
    return error ? error : create_spinners(parts, options, problem);
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
        /* Other code takes an engine for a sign that there are balancers. */
        engine_destroy(parts->engine);
        parts->engine = NULL;
    }
    return error;
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

void machine_parts_release(struct parts *parts)
{
    parts_halt(parts);
    world_destroy(parts->world);
    parts->world = NULL;
}

void machine_parts_destroy(struct parts *parts)
{
    machine_parts_release(parts);
    follow_destroy(parts->follow);
    memory_destroy(parts->memory);
    intrinsic_destroy(parts->intrinsic);
    free(parts->machine);
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

/* Makes the machine again: read anew, or a copy if the options have named processors or domains. */
static int machine_remake(const struct parts *parts, struct parts *made)
{
    char problem[JOB_PROBLEM_SIZE];

    if (parts->may_grow)
        return machine_parts_read(made, &made->options, problem);
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
        error = machine_parts_create(&made, &made.options, problem);
    if (!error)
        error = parts_start(&made, recorder);
    if (error)
        machine_parts_destroy(&made);
    else
        *fresh = made;
    return error;
}

void parts_replace(struct parts *parts, const struct parts *fresh)
{
    struct parts old = *parts;

    /* Balancers and observers read the parts as long as the balancers live. */
    balancers_stop(parts->balancers);
    old.balancers = NULL;
    *parts = *fresh;
    machine_parts_destroy(&old);
}
