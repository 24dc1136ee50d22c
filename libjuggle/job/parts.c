/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/job/parts.h"

#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/sysfs.h"
#include "libjuggle/linux/topology_mistake.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How much memory may follow per second: far below what a memory bus moves. */
#define FOLLOW_BYTES_PER_SECOND (INT64_C(256) << 20)

/* Tells why, and hands the error on. */
static int problem_set(char *problem, int error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(problem, JOB_PROBLEM_SIZE, format, arguments);
    va_end(arguments);
    return error;
}

static int crowd_of(const struct job_options *options, const struct processor *processor)
{
    return processor->os_index < options->crowd_count ? options->crowd[processor->os_index] : 0;
}

/* Policies place the threads that are one too many on the first processors of a domain: so these
 * are to be the least crowded. Equal ones stay in order. */
static void order_machine(struct machine *machine, const struct job_options *options)
{
    for (int i = 1; i < machine->processors_count; i++) {
        const struct processor moved = machine->processors[i];
        int to = i;
        while (to > 0 && machine->processors[to - 1].domain == moved.domain &&
               crowd_of(options, &machine->processors[to - 1]) > crowd_of(options, &moved)) {
            machine->processors[to] = machine->processors[to - 1];
            to--;
        }
        machine->processors[to] = moved;
    }
}

static int create_capacity(struct parts *parts, const struct job_options *options,
                           const struct topology_speeds *speeds, char *problem)
{
    const int error = capacity_set(options->capacity, parts->sys_fd, speeds, &parts->machine,
                                   &parts->capacity);

    if (error)
        return problem_set(problem, error,
                           "capacity is neither auto nor equal nor a list of speeds such as "
                           "1x4,0.6x4");
    return 0;
}

static int create_machine(struct parts *parts, const struct job_options *options, char *problem)
{
    struct topology_speeds speeds;
    char mistake[TOPOLOGY_MISTAKE_SIZE];
    const struct topology_options topology = {
        .cpus = options->cpus,
        .domains = options->domains,
        .inter_domain = options->inter_domain,
    };
    int error = topology_load(&topology, &parts->machine, &speeds);

    if (error) {
        topology_mistake(&topology, error, mistake);
        return problem_set(problem, error, "%s", mistake);
    }
    if (parts->machine.processors_count < 2)
        return problem_set(problem, -ENODEV, "there is one processor only");
    error = create_capacity(parts, options, &speeds, problem);
    if (error)
        return error;
    order_machine(&parts->machine, options);
    return 0;
}

/* What a source wants that was refused. */
static const char *source_needs(enum progress_kind kind)
{
    switch (kind) {
    case PROGRESS_TASKSTATS:
        return ": it needs CAP_NET_ADMIN";
    case PROGRESS_PERF:
        return ": it needs CAP_PERFMON, or a lower kernel.perf_event_paranoid";
    case PROGRESS_AUTO:
    case PROGRESS_SCHEDSTAT:
    case PROGRESS_KINDS_COUNT:
        break;
    }
    return "";
}

static int create_world(struct parts *parts, const struct job_options *options, char *problem)
{
    struct cpu_mask given;
    int error = affinity_get(0, &given);

    if (error)
        return problem_set(problem, error, "no affinity masks: %s", strerror(-error));
    const struct world_options world = {
        .machine = &parts->machine,
        .proc_fd = parts->proc_fd,
        .sys_fd = parts->sys_fd,
        .threads_max = parts->policy.threads_max,
        .readers_max = parts->machine.processors_count + 1,
        .progress = options->progress,
        .given = &given,
        .guardian = parts->guardian,
        .override = options->override,
        /* Nobody would move a thread home whom nobody samples. */
        .open = parts->policy.kind != POLICY_STATIC,
    };
    error = world_create(&world, &parts->world);
    if (error)
        return problem_set(problem, error, "no progress from %s: %s%s",
                           progress_kind_name(options->progress), strerror(-error),
                           error == -EPERM || error == -EACCES ? source_needs(options->progress)
                                                               : "");
    return 0;
}

static int create_discovery(struct parts *parts, const struct job_options *options)
{
    const pid_t excluded[] = {guardian_pid(parts->guardian), options->helper};
    const struct discovery_options discovery = {
        .proc_fd = parts->proc_fd,
        .roots = options->roots,
        .roots_count = options->roots_count,
        .roots_included = options->roots_included,
        .excluded = excluded,
        .excluded_count = ARRAY_COUNT(excluded),
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

    if (error)
        return error;
    discovery_wait(parts->discovery, !options->look_ns);
    return workers_create(&workers, &parts->workers);
}

static int memory_move(void *context, pid_t pid, int processor, int64_t at_ns)
{
    const struct parts *parts = context;

    return memory_follow(parts->memory, pid, processor, at_ns);
}

static int create_memory(struct parts *parts, const struct job_options *options)
{
    const struct memory_options memory = {
        .proc_fd = parts->proc_fd,
        .bytes_per_second = options->follow_memory ? FOLLOW_BYTES_PER_SECOND : 0,
    };
    const struct follow_port port = {memory_move, parts};
    int error = memory_create(&parts->machine, &memory, &parts->memory);

    if (error || !memory_may_follow(parts->memory))
        return error;
    return follow_create(parts->policy.threads_max, &port, &parts->follow);
}

static int slot_id(void *context, int slot, struct thread_id *id)
{
    const struct parts *parts = context;

    return world_thread(parts->world, slot, id);
}

static int create_intrinsic(struct parts *parts, const struct job_options *options)
{
    const struct intrinsic_threads threads = {slot_id, parts};
    int error = 0;

    parts->page = options->page;
    if (!parts->page) {
        error = page_create(parts->machine.processors_count, &parts->own_page);
        parts->page = parts->own_page;
    }
    if (error)
        return error;
    return intrinsic_create(parts->policy.threads_max, &threads, parts->page, &parts->intrinsic);
}

/* The guardian is first: it is a fork, and of as small a process as possible. */
static int create_all(struct parts *parts, const struct job_options *options, char *problem)
{
    const int table_fd = options->table_fd ? options->table_fd : -1;
    int error = guardian_start_in(table_fd, parts->proc_fd, parts->policy.threads_max,
                                  &parts->guardian);

    if (error)
        return problem_set(problem, error, "no guardian: %s", strerror(-error));
    error = create_machine(parts, options, problem);
    if (!error)
        error = create_world(parts, options, problem);
    if (error)
        return error;
    if (policy_footprint(&parts->machine, &parts->policy) < 0)
        return problem_set(problem, -EINVAL, "period, jitter or margin is out of bounds");
    error = create_discovery(parts, options);
    if (!error)
        error = create_memory(parts, options);
    if (!error)
        error = create_intrinsic(parts, options);
    return error ? problem_set(problem, error, "%s", strerror(-error)) : 0;
}

int parts_create(const struct job_options *options, char problem[JOB_PROBLEM_SIZE],
                 struct parts *parts)
{
    *parts = (struct parts){.policy = options->policy, .proc_fd = -1, .sys_fd = -1};

    int error = procfs_open(&parts->proc_fd);
    if (error)
        return problem_set(problem, error, "no /proc: %s", strerror(-error));
    /* Without /sys, as in some containers, neither speeds nor cpusets are told. */
    (void)!sysfs_open(&parts->sys_fd);
    return create_all(parts, options, problem);
}

int parts_start(struct parts *parts, enum balancers_shape shape,
                const struct engine_recorder *recorder)
{
    struct ports ports;

    world_ports(parts->world, &ports);
    intrinsic_wrap(parts->intrinsic, &ports);
    int error = engine_create(&parts->machine, &parts->policy, &ports, recorder, &parts->engine);
    if (error)
        return error;
    return balancers_start(shape, &parts->machine, parts->engine, &parts->balancers);
}

/* The world restores the masks; only then may the guardian forget them. */
void parts_release(struct parts *parts)
{
    balancers_stop(parts->balancers);
    engine_destroy(parts->engine);
    world_destroy(parts->world);
    guardian_stop(parts->guardian);
    parts->balancers = NULL;
    parts->engine = NULL;
    parts->world = NULL;
    parts->guardian = NULL;
}

void parts_destroy(struct parts *parts)
{
    parts_release(parts);
    discovery_destroy(parts->discovery);
    workers_destroy(parts->workers);
    follow_destroy(parts->follow);
    memory_destroy(parts->memory);
    intrinsic_destroy(parts->intrinsic);
    page_destroy(parts->own_page);
    if (parts->proc_fd >= 0)
        close(parts->proc_fd);
    if (parts->sys_fd >= 0)
        close(parts->sys_fd);
}
