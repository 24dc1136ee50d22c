/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread of the program has up to three numbers here: its index in the roster of all threads that
 * were found, its slot in the engine while it is balanced, and its index among the members, which
 * outlives it for the report.
 *
 * Interleaving. All state belongs to the thread that calls job_poll, but for two parts that the
 * balancer threads reach through the engine's recorder, under its lock: `observers`, which are
 * complete before the balancers start, and `balanced`, which they only read, for slots whose
 * arrival they have been told of; the engine's lock orders that after the entry was written and
 * before it is cleared.
 */
#include "libjuggle/job/job.h"

#include "libjuggle/job/balancers.h"
#include "libjuggle/job/follow.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/job/discovery.h"
#include "libjuggle/linux/guardian.h"
#include "libjuggle/linux/memory.h"
#include "libjuggle/linux/numa_nodes.h"
#include "libjuggle/linux/topology.h"
#include "libjuggle/job/workers.h"
#include "libjuggle/linux/world.h"
#include "libjuggle/job/members.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OBSERVERS_MAX = 4,
    NAME_SIZE = 64,
    PID_NAME_SIZE = 16,
    SLOT_NONE = -1, /* not balanced */
    /*
     * Programs that look at the machine bind themselves to each processor in turn for a moment, as
     * hwloc does in the initialization of MPI: a thread counts as placed by the program only when
     * it was found so at this many looks.
     */
    PLACED_LOOKS = 3,
    /* Members are remembered beyond their end, for programs that create threads all the time. */
    MEMBERS_PER_SLOT = 2,
};

/* How often masks and processors are looked after: cpuset changes are rare, a look costs a system
 * call a thread. */
#define CHECK_INTERVAL_NS (500 * NSEC_PER_MSEC)
/* A thread that is bound for a moment while its program starts, as MPI's do, is taken soon after.
 */
#define FREED_INTERVAL_NS (10 * NSEC_PER_MSEC)

/* How much memory may follow per second: far below what a memory bus moves. */
#define FOLLOW_BYTES_PER_SECOND (INT64_C(256) << 20)

/* A thread that was found. */
struct candidate {
    int slot;         /* or SLOT_NONE */
    int placed_looks; /* at which the program had placed it, one after the other */
};

/* A balanced thread, by its slot. */
struct balanced {
    bool used;
    int index;  /* in the roster */
    int member; /* in the members */
    struct job_thread thread;
};

struct job {
    struct job_listener listener;
    struct policy_options policy;
    enum balancers_shape shape;
    bool owned;
    uid_t owner;
    bool crowded;
    int64_t started_ns;
    int64_t distributed_ns; /* 0 before the first distribution */
    int64_t check_ns;       /* when next */
    int64_t freed_ns;       /* when to look next for threads that are bound no more */

    struct machine machine;
    bool lost[MACHINE_PROCESSORS_MAX];
    int proc_fd;
    struct guardian *guardian;
    struct discovery *discovery;
    struct workers *workers;
    struct world *world;
    struct memory *memory;
    struct follow *follow; /* NULL unless memory is to follow */
    struct intrinsic *intrinsic;
    struct engine *engine;
    struct balancers *balancers;
    struct members *members;
    struct balanced *balanced;    /* by slot */
    struct candidate *candidates; /* by index in the roster */
    struct engine_recorder observers[OBSERVERS_MAX];
    int observers_count;
    struct job_statistics statistics; /* as last taken */
    char source[NAME_SIZE], priority[NAME_SIZE];
};

static void tell(const struct job *job, enum job_news news, const struct thread_info *info)
{
    if (job->listener.told)
        job->listener.told(job->listener.context, news, info);
}

/* ---- create, destroy ---- */

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

static int create_machine(struct job *job, const struct job_options *options, char *problem)
{
    const struct topology_options topology = {
        .cpus = options->cpus,
        .domains = options->domains,
        .inter_domain = options->inter_domain,
    };
    int error = topology_load(&topology, &job->machine);

    if (error)
        return problem_set(problem, error, "%s %s", error == -EDOM ? "domains" : "cpus",
                           topology_problem(error));
    if (job->machine.processors_count < 2)
        return problem_set(problem, -ENODEV, "there is one processor only");
    order_machine(&job->machine, options);
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

static int create_world(struct job *job, const struct job_options *options, char *problem)
{
    struct cpu_mask given;
    int error = affinity_get(0, &given);

    if (error)
        return problem_set(problem, error, "no affinity masks: %s", strerror(-error));
    const struct world_options world = {
        .machine = &job->machine,
        .proc_fd = job->proc_fd,
        .threads_max = job->policy.threads_max,
        .readers_max = job->machine.processors_count + 1,
        .progress = options->progress,
        .given = &given,
        .guardian = job->guardian,
        .override = options->override,
    };
    error = world_create(&world, &job->world);
    if (error)
        return problem_set(problem, error, "no progress from %s: %s%s",
                           progress_kind_name(options->progress), strerror(-error),
                           error == -EPERM || error == -EACCES ? source_needs(options->progress)
                                                               : "");
    return 0;
}

static int create_discovery(struct job *job, const struct job_options *options)
{
    const pid_t guardian = guardian_pid(job->guardian);
    const struct discovery_options discovery = {
        .proc_fd = job->proc_fd,
        .roots = options->roots,
        .roots_count = options->roots_count,
        .roots_included = options->roots_included,
        .excluded = &guardian,
        .excluded_count = 1,
        .threads_max = job->policy.threads_max,
        .connector = !options->look_ns,
        .look_ns = options->look_ns,
    };
    const struct workers_options workers = {
        .expected = options->threads_expected,
        .idle = options->idle_threads,
        .idle_comm = options->idle_comm,
        .match = options->match,
        .threads_max = job->policy.threads_max,
    };
    int error = discovery_create(&discovery, &job->discovery);

    return error ? error : workers_create(&workers, &job->workers);
}

static int memory_move(void *context, pid_t pid, int processor, int64_t at_ns)
{
    const struct job *job = context;

    return memory_follow(job->memory, pid, processor, at_ns);
}

static int create_memory(struct job *job, const struct job_options *options)
{
    const struct memory_options memory = {
        .proc_fd = job->proc_fd,
        .bytes_per_second = options->follow_memory ? FOLLOW_BYTES_PER_SECOND : 0,
    };
    const struct follow_port port = {memory_move, job};
    int error = memory_create(&job->machine, &memory, &job->memory);

    if (error || !options->follow_memory || !memory_matters(job->memory))
        return error;
    return follow_create(job->policy.threads_max, &port, &job->follow);
}

static pid_t slot_tid(void *context, int slot)
{
    const struct job *job = context;

    return job->balanced[slot].thread.tid;
}

static int create_tables(struct job *job)
{
    const struct intrinsic_threads threads = {slot_tid, job};
    const int threads_max = job->policy.threads_max;
    int error = intrinsic_create(threads_max, &threads, &job->intrinsic);

    if (error)
        return error;
    job->balanced = calloc((size_t)threads_max, sizeof(*job->balanced));
    job->candidates = malloc((size_t)threads_max * sizeof(*job->candidates));
    if (!job->balanced || !job->candidates)
        return -ENOMEM;
    for (int i = 0; i < threads_max; i++)
        job->candidates[i] = (struct candidate){.slot = SLOT_NONE};
    return members_create(MEMBERS_PER_SLOT * threads_max, &job->members);
}

/* The guardian is first: it is a fork, and of as small a process as possible. */
static int create_parts(struct job *job, const struct job_options *options, char *problem)
{
    const int table_fd = options->table_fd ? options->table_fd : -1;
    int error = guardian_start_in(table_fd, job->proc_fd, job->policy.threads_max, &job->guardian);

    if (error)
        return problem_set(problem, error, "no guardian: %s", strerror(-error));
    error = create_machine(job, options, problem);
    if (!error)
        error = create_world(job, options, problem);
    if (error)
        return error;
    if (policy_footprint(&job->machine, &job->policy) < 0)
        return problem_set(problem, -EINVAL, "period, jitter or margin is out of bounds");
    error = create_discovery(job, options);
    if (!error)
        error = create_memory(job, options);
    if (!error)
        error = create_tables(job);
    return error ? problem_set(problem, error, "%s", strerror(-error)) : 0;
}

int job_create(const struct job_options *options, char problem[JOB_PROBLEM_SIZE],
               struct job **result)
{
    struct job *job = calloc(1, sizeof(*job));

    if (!job)
        return problem_set(problem, -ENOMEM, "%s", strerror(ENOMEM));
    job->listener = options->listener;
    job->policy = options->policy;
    job->shape = options->shape;
    job->owned = options->owned;
    job->owner = options->owner;
    job->proc_fd = -1;
    int error = procfs_open(&job->proc_fd);
    if (error)
        problem_set(problem, error, "no /proc: %s", strerror(-error));
    else
        error = create_parts(job, options, problem);
    if (error) {
        job_destroy(job);
        return error;
    }
    *result = job;
    return 0;
}

/* The world restores the masks; only then may the guardian forget them. */
static void release_threads(struct job *job)
{
    balancers_stop(job->balancers);
    engine_destroy(job->engine);
    world_destroy(job->world);
    guardian_stop(job->guardian);
    job->balancers = NULL;
    job->engine = NULL;
    job->world = NULL;
    job->guardian = NULL;
}

void job_destroy(struct job *job)
{
    if (!job)
        return;
    release_threads(job);
    discovery_destroy(job->discovery);
    workers_destroy(job->workers);
    follow_destroy(job->follow);
    memory_destroy(job->memory);
    members_destroy(job->members);
    intrinsic_destroy(job->intrinsic);
    free(job->balanced);
    free(job->candidates);
    if (job->proc_fd >= 0)
        close(job->proc_fd);
    free(job);
}

/* ---- start ---- */

int job_observe(struct job *job, const struct engine_recorder *observer)
{
    if (job->observers_count == OBSERVERS_MAX)
        return -ENOSPC;
    job->observers[job->observers_count++] = *observer;
    return 0;
}

static void record_all(void *context, const struct event *event, const struct plan *plan)
{
    const struct job *job = context;

    for (int i = 0; i < job->observers_count; i++)
        job->observers[i].record(job->observers[i].context, event, plan);
}

int job_start(struct job *job)
{
    /* Without an observer the domains decide side by side, without the recorder's lock. */
    const struct engine_recorder recorder = {record_all, job};
    struct ports ports;

    world_ports(job->world, &ports);
    intrinsic_wrap(job->intrinsic, &ports);
    int error = engine_create(&job->machine, &job->policy, &ports,
                              job->observers_count ? &recorder : NULL, &job->engine);
    if (error)
        return error;
    job->started_ns = clock_now_ns();
    return balancers_start(job->shape, &job->machine, job->engine, &job->balancers);
}

/* ---- threads come, go ---- */

static const struct thread_info *thread_at(const struct job *job, int index)
{
    return roster_thread(discovery_roster(job->discovery), index);
}

static struct job_thread describe(const struct thread_info *info)
{
    struct job_thread thread = {.pid = info->id.pid, .tid = info->id.tid, .cpu = -1};

    memcpy(thread.comm, info->comm, COMM_SIZE);
    return thread;
}

static void thread_refuse(struct job *job, int index, enum job_news news)
{
    job->candidates[index] = (struct candidate){.slot = SLOT_NONE};
    workers_refuse(job->workers, index);
    tell(job, news, thread_at(job, index));
}

static void thread_balance(struct job *job, int index, int slot)
{
    const struct thread_info *info = thread_at(job, index);

    job->candidates[index] = (struct candidate){.slot = slot};
    job->balanced[slot] = (struct balanced){
        .used = true,
        .index = index,
        .member = members_join(job->members, info),
        .thread = describe(info),
    };
    if (job->follow)
        follow_arrived(job->follow, slot, info->id.pid);
    tell(job, JOB_THREAD_JOINED, info);
    engine_thread_arrived(job->engine, slot, memory_home(job->memory, info->id.pid));
}

/* One more look at which the program had placed the thread; true if that was the last. */
static bool placed_again(struct job *job, int index)
{
    return ++job->candidates[index].placed_looks >= PLACED_LOOKS;
}

static void worker_joined(void *context, int index)
{
    struct job *job = context;
    int slot;

    if (engine_slot_reserve(job->engine, &slot))
        return; /* the roster is no larger than the engine */
    int error = world_attach(job->world, slot, &thread_at(job, index)->id);
    if (!error) {
        thread_balance(job, index, slot);
        return;
    }
    engine_thread_exited(job->engine, slot);
    if (error == -EBUSY) {
        job->candidates[index].placed_looks = 1;
        job->freed_ns = 0;
    } else if (error != -ESRCH)
        thread_refuse(job, index, JOB_THREAD_REFUSED);
}

static void member_refresh(struct job *job, int slot)
{
    struct thread_view view;

    if (!engine_thread(job->engine, slot, &view))
        members_update(job->members, job->balanced[slot].member, &view);
}

static void worker_gone(struct job *job, int index, const struct thread_info *info,
                        enum member_state state)
{
    const int slot = job->candidates[index].slot;

    job->candidates[index] = (struct candidate){.slot = SLOT_NONE};
    if (slot < 0)
        return;
    member_refresh(job, slot);
    members_leave(job->members, job->balanced[slot].member, state);
    engine_thread_exited(job->engine, slot);
    world_detach(job->world, slot);
    if (job->follow)
        follow_left(job->follow, slot);
    job->balanced[slot].used = false;
    tell(job, JOB_THREAD_LEFT, info);
}

static void worker_left(void *context, int index)
{
    struct job *job = context;

    worker_gone(job, index, thread_at(job, index), MEMBER_LEFT);
}

/* A thread of this very process that serves the balancing itself. */
static bool is_own(const struct thread_info *info)
{
    return info->id.pid == getpid() &&
           (info->id.tid == gettid() || !strcmp(info->comm, BALANCERS_COMM));
}

/* A process of somebody else, such as one that has executed a set-user-ID program. /proc shows
 * those whose memory is protected as root's. */
static bool is_foreign(const struct job *job, const struct thread_info *info)
{
    char name[PID_NAME_SIZE];
    struct stat stat;

    snprintf(name, sizeof(name), "%d", (int)info->id.pid);
    return job->owned && (fstatat(job->proc_fd, name, &stat, 0) || stat.st_uid != job->owner);
}

static bool is_refused(const struct job *job, const struct thread_info *info)
{
    return is_own(info) || is_foreign(job, info);
}

static void roster_changed(void *context, enum roster_change change, int index,
                           const struct thread_info *info)
{
    struct job *job = context;

    switch (change) {
    case ROSTER_ARRIVED:
        workers_arrived(job->workers, index, info, clock_now_ns());
        if (is_refused(job, info))
            workers_refuse(job->workers, index);
        if (job->distributed_ns && !is_own(info))
            world_widen(job->world, &info->id);
        break;
    case ROSTER_EXITED:
        worker_gone(job, index, info, MEMBER_ENDED);
        workers_exited(job->workers, index);
        break;
    case ROSTER_RENAMED:
        workers_renamed(job->workers, index, info);
        if (is_refused(job, info)) {
            workers_refuse(job->workers, index);
            worker_gone(job, index, info, MEMBER_LEFT);
        }
        if (job->candidates[index].slot >= 0)
            members_rename(job->members, job->balanced[job->candidates[index].slot].member,
                           info->comm);
        break;
    }
}

/* ---- checking ---- */

/* Who set the mask last, and is it still allowed? A cpuset change undoes pins. */
static void check_thread(struct job *job, int slot)
{
    const int index = job->balanced[slot].index;
    enum affinity_owner owner;

    if (world_check(job->world, slot, &owner))
        return;
    if (owner != AFFINITY_PROGRAM) {
        job->candidates[index].placed_looks = 0;
    } else if (placed_again(job, index)) {
        worker_gone(job, index, thread_at(job, index), MEMBER_LEFT);
        thread_refuse(job, index, JOB_THREAD_PLACED);
    }
}

/* May the thread run on all processors of the machine? */
static bool is_free(const struct job *job, pid_t tid)
{
    struct cpu_mask mask;

    if (affinity_get(tid, &mask))
        return false;
    for (int i = 0; i < job->machine.processors_count; i++)
        if (!cpu_mask_has(&mask, job->machine.processors[i].os_index))
            return false;
    return true;
}

/*
 * A worker that could not be taken because the program seemed to have placed it. To ask the world
 * again would not do: by now it could take the mask for one of juggle's that was inherited.
 */
static void check_placed(struct job *job, int index)
{
    if (is_free(job, thread_at(job, index)->id.tid))
        worker_joined(job, index);
    else if (placed_again(job, index))
        thread_refuse(job, index, JOB_THREAD_PLACED);
}

static bool seems_placed(const struct job *job, int index)
{
    return job->candidates[index].slot == SLOT_NONE && job->candidates[index].placed_looks > 0;
}

static void take_freed(struct job *job, int64_t at_ns)
{
    job->freed_ns = INT64_MAX;
    for (int index = 0; index < job->policy.threads_max; index++) {
        if (!seems_placed(job, index))
            continue;
        if (is_free(job, thread_at(job, index)->id.tid))
            worker_joined(job, index);
        if (seems_placed(job, index))
            job->freed_ns = at_ns + FREED_INTERVAL_NS;
    }
}

static void check_processors(struct job *job)
{
    bool usable[MACHINE_PROCESSORS_MAX];

    if (world_processors(job->world, gettid(), usable))
        return;
    for (int i = 0; i < job->machine.processors_count; i++) {
        if (usable[i] != job->lost[i])
            continue;
        job->lost[i] = !usable[i];
        if (job->lost[i])
            engine_processor_lost(job->engine, i);
        else
            engine_processor_found(job->engine, i);
        tell(job, job->lost[i] ? JOB_PROCESSOR_LOST : JOB_PROCESSOR_FOUND, NULL);
    }
}

static void check_memory(struct job *job, int64_t at_ns)
{
    struct thread_view view;

    for (int slot = 0; slot < job->policy.threads_max; slot++) {
        if (!job->balanced[slot].used || engine_thread(job->engine, slot, &view) ||
            view.processor < 0)
            continue;
        const int cpu = job->machine.processors[view.processor].os_index;
        follow_see(job->follow, slot, view.processor, numa_nodes_of_cpu(cpu), at_ns);
    }
    follow_decide(job->follow, at_ns);
}

static void check(struct job *job, int64_t at_ns)
{
    check_processors(job);
    for (int slot = 0; slot < job->policy.threads_max; slot++)
        if (job->balanced[slot].used)
            check_thread(job, slot);
    for (int index = 0; index < job->policy.threads_max; index++)
        if (seems_placed(job, index))
            check_placed(job, index);
    if (job->follow)
        check_memory(job, at_ns);
    job->check_ns = at_ns + CHECK_INTERVAL_NS;
}

/* ---- polling ---- */

static void observe_threads(struct job *job, int64_t at_ns)
{
    const int limit = roster_limit(discovery_roster(job->discovery));
    const struct workers_listener listener = {worker_joined, worker_left, job};

    for (int i = 0; i < limit; i++) {
        const struct thread_info *info = thread_at(job, i);
        if (info)
            workers_observe(job->workers, i, info, at_ns);
    }
    workers_decide(job->workers, at_ns, &listener);
}

static void distribute(struct job *job, int64_t at_ns)
{
    engine_start(job->engine);
    balancers_notify(job->balancers);
    job->distributed_ns = at_ns;
    job->check_ns = at_ns + CHECK_INTERVAL_NS;
    tell(job, JOB_DISTRIBUTED, NULL);
}

static int scan(struct job *job, int64_t at_ns)
{
    const struct roster_listener listener = {roster_changed, job};
    int error = discovery_scan(job->discovery, at_ns, &listener);

    if (error)
        return error;
    if (discovery_overflow(job->discovery) && !job->crowded) {
        job->crowded = true;
        tell(job, JOB_CROWDED, NULL);
    }
    observe_threads(job, at_ns);
    if (!job->distributed_ns && workers_complete(job->workers))
        distribute(job, at_ns);
    return 0;
}

int job_poll(struct job *job, int64_t at_ns)
{
    int error = 0;

    if (job_fd(job) >= 0)
        discovery_hear(job->discovery, at_ns);
    if (discovery_next_ns(job->discovery) <= at_ns)
        error = scan(job, at_ns);
    if (!error && job->distributed_ns && job->check_ns <= at_ns)
        check(job, at_ns);
    if (!error && job->distributed_ns && job->freed_ns <= at_ns)
        take_freed(job, at_ns);
    return error;
}

int job_adopt(struct job *job, pid_t pid)
{
    return discovery_adopt(job->discovery, pid);
}

int job_disown(struct job *job, pid_t pid, int64_t at_ns)
{
    discovery_disown(job->discovery, pid);
    return scan(job, at_ns);
}

int64_t job_next_ns(const struct job *job)
{
    const int64_t scan_ns = discovery_next_ns(job->discovery);

    return job->distributed_ns ? min_i64(scan_ns, min_i64(job->check_ns, job->freed_ns)) : scan_ns;
}

int job_fd(const struct job *job)
{
    return discovery_fd(job->discovery);
}

/* ---- views ---- */

const struct machine *job_machine(const struct job *job)
{
    return &job->machine;
}

const struct policy_options *job_policy(const struct job *job)
{
    return &job->policy;
}

const char *job_source_name(const struct job *job)
{
    return progress_name(world_progress(job->world));
}

const char *job_source_reason(const struct job *job)
{
    return progress_reason(world_progress(job->world));
}

const char *job_discovery_method(const struct job *job)
{
    return discovery_method(job->discovery);
}

struct intrinsic *job_intrinsic(const struct job *job)
{
    return job->intrinsic;
}

int job_slot_thread(const struct job *job, int slot, struct job_thread *thread)
{
    if (slot < 0 || slot >= job->policy.threads_max || !job->balanced[slot].used)
        return -ENOENT;
    *thread = job->balanced[slot].thread;
    return 0;
}

/* The shortest of the domains' periods. */
static int64_t period_ns(const struct job *job)
{
    int64_t shortest_ns = engine_period_ns(job->engine, 0);

    for (int domain = 1; domain < job->machine.domains_count; domain++)
        shortest_ns = min_i64(shortest_ns, engine_period_ns(job->engine, domain));
    return shortest_ns;
}

static void refresh(struct job *job)
{
    for (int slot = 0; slot < job->policy.threads_max; slot++)
        if (job->balanced[slot].used)
            member_refresh(job, slot);
}

static int members_told(const struct job *job)
{
    int count = 0;

    for (int i = 0; i < members_limit(job->members); i++)
        count += members_get(job->members, i) != NULL;
    return count;
}

static void statistics_take(struct job *job, struct job_statistics *statistics)
{
    struct engine_statistics engine;
    struct balancers_statistics balancers;

    refresh(job);
    engine_statistics(job->engine, &engine);
    balancers_statistics(job->balancers, &balancers);
    priority_format(&balancers.priority, job->priority, sizeof(job->priority));
    snprintf(job->source, sizeof(job->source), "%s", progress_name(world_progress(job->world)));
    *statistics = (struct job_statistics){
        .threads_count = members_told(job),
        .processors_count = job->machine.processors_count,
        .domains_count = job->machine.domains_count,
        .source = job->source,
        .priority = job->priority,
        .policy = job->policy.kind,
        .waited_ns = job->distributed_ns ? job->distributed_ns - job->started_ns : -1,
        .period_ns = period_ns(job),
        .period_min_ns = balancers.period_min_ns,
        .period_median_ns = balancers.period_median_ns,
        .period_max_ns = balancers.period_max_ns,
        .choice = engine.choice,
        .rounds_count = engine.rounds_count,
        .migrations_count = engine.migrations_count,
        .moves_failed_count = engine.moves_failed_count,
        .balancers_cpu_ns = balancers.own_cpu_ns,
        .threads_dropped = members_dropped(job->members),
    };
}

void job_statistics(struct job *job, struct job_statistics *statistics)
{
    if (job->engine)
        statistics_take(job, &job->statistics);
    *statistics = job->statistics;
}

void job_stop(struct job *job)
{
    const struct roster_listener listener = {roster_changed, job};

    if (!job->engine)
        return;
    /* A last look, to know who has ended; nobody joins any more. */
    (void)!discovery_scan(job->discovery, clock_now_ns(), &listener);
    statistics_take(job, &job->statistics);
    release_threads(job);
}

static struct job_thread member_thread(const struct job *job, const struct member *member)
{
    const struct thread_view *view = &member->view;
    struct job_thread thread = {
        .pid = member->id.pid,
        .tid = member->id.tid,
        .cpu = view->processor < 0 ? -1 : job->machine.processors[view->processor].os_index,
        .ended = member->state == MEMBER_ENDED,
        .behind = view->behind,
        .state = view->state,
        .progress_ns = view->progress_ns,
        .run_ns = view->run_ns,
        .wait_ns = view->wait_ns,
        .blocked_ns = view->blocked_ns,
    };

    memcpy(thread.comm, member->comm, COMM_SIZE);
    return thread;
}

int job_threads(struct job *job, struct job_thread *threads, int threads_max)
{
    int count = 0;

    if (job->engine)
        refresh(job);
    for (int i = 0; i < members_limit(job->members); i++) {
        const struct member *member = members_get(job->members, i);
        if (!member)
            continue;
        if (count < threads_max)
            threads[count] = member_thread(job, member);
        count++;
    }
    return count;
}
