/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleaving. All state belongs to the thread that calls job_poll, but for `observers`, which the
 * balancer threads call through the engine's recorder, under its lock: they are complete before the
 * balancers start.
 */
#include "libjuggle/job/job.h"

#include "libjuggle/job/admission.h"
#include "libjuggle/job/allowance.h"
#include "libjuggle/job/growth.h"
#include "libjuggle/job/parts.h"
#include "libjuggle/job/summary.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/numa_nodes.h"
#include "libjuggle/linux/problem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OBSERVERS_MAX = 4 };

/* How often masks and processors are looked after: cpuset changes are rare, a look costs a system
 * call a thread. */
#define CHECK_INTERVAL_NS (250 * NSEC_PER_MSEC)

struct job {
    struct job_listener listener;
    int64_t started_ns;
    int64_t distributed_ns; /* 0 before the first distribution */
    int64_t check_ns;       /* when next */

    struct parts parts;
    struct admission *admission;
    struct cpu_mask lost; /* of the machine's processors */
    struct growth growth;
    int share_ppm; /* as job_limit said */
    struct engine_recorder observers[OBSERVERS_MAX];
    int observers_count;
    struct summary summary;          /* as last taken */
    int64_t piece_ns;                /* of what takes long; 0: it is whole */
    const char *fault;               /* the check that failed */
    bool checking;                   /* a check has begun and not ended */
    bool letting_go;                 /* at the end, while threads are known that have a pin still */
    struct restoration *restoration; /* then, while somebody unknown may have one */
    /* Processes that have left: first those of which nobody is found any more. */
    pid_t *leaving;
    int leaving_count, disowned_count;
};

static void tell(const struct job *job, enum job_news news)
{
    if (job->listener.told)
        job->listener.told(job->listener.context, news, NULL);
}

/* What juggle may use at all. Where that cannot be told, nothing grows. */
static void usable_here(struct cpu_mask *usable)
{
    if (affinity_get(0, usable))
        cpu_mask_clear(usable);
}

/* ---- create, destroy ---- */

int job_create(const struct job_options *options, char problem[JOB_PROBLEM_SIZE],
               struct job **result)
{
    struct job *job = calloc(1, sizeof(*job));
    struct cpu_mask usable;
    int error;

    if (!job)
        return problem_of(problem, JOB_PROBLEM_SIZE, -ENOMEM, "no job");
    job->listener = options->listener;
    job->share_ppm = SHARE_ALL_PPM;
    job->piece_ns = options->piece_ns;
    usable_here(&usable);
    growth_begin(&job->growth, &usable);
    error = parts_create(options, problem, &job->parts);
    if (!error) {
        error = admission_create(&job->parts, options, &job->admission);
        if (error)
            problem_of(problem, JOB_PROBLEM_SIZE, error, "no table of threads");
    }
    if (error) {
        job_destroy(job);
        return error;
    }
    *result = job;
    return 0;
}

void job_destroy(struct job *job)
{
    if (!job)
        return;
    job_stop(job);
    parts_destroy(&job->parts);
    admission_destroy(job->admission);
    free(job->leaving);
    free(job);
}

/* ---- start, stop ---- */

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

/* Without an observer the domains decide side by side, without the recorder's lock. */
static const struct engine_recorder *recorder_of(struct job *job, struct engine_recorder *recorder)
{
    *recorder = (struct engine_recorder){record_all, job};
    return job->observers_count ? recorder : NULL;
}

int job_start(struct job *job)
{
    struct engine_recorder recorder;

    job->started_ns = job->check_ns = clock_now_ns();
    return parts_start(&job->parts, recorder_of(job, &recorder));
}

void job_limit(struct job *job, int share_ppm)
{
    job->share_ppm = share_ppm;
    balancers_limit(job->parts.balancers, share_ppm);
}

static void statistics_take(struct job *job)
{
    const int64_t waited_ns = job->distributed_ns ? job->distributed_ns - job->started_ns : -1;

    summary_take(&job->summary, &job->parts, job->admission, waited_ns);
}

/* Threads that cannot be given their masks are told of once. */
static void stop_end(struct job *job)
{
    const pid_t tid = restoration_stuck(job->restoration);
    const struct thread_info stuck = {.id = {.tid = tid}, .comm = {"?"}};

    if (tid && job->listener.told)
        job->listener.told(job->listener.context, JOB_THREAD_STUCK, &stuck);
    restoration_end(job->restoration);
    job->restoration = NULL;
    parts_release(&job->parts);
}

static int64_t piece_end_ns(const struct job *job)
{
    return job->piece_ns ? clock_now_ns() + job->piece_ns : INT64_MAX;
}

static void let_go(struct job *job)
{
    job->fault = parts_fault(&job->parts);
    admission_close(job->admission, clock_now_ns(), piece_end_ns(job));
    statistics_take(job);
    parts_halt(&job->parts);
    job->letting_go = true;
}

/* True when nobody is known any more who has a pin, or who has got it by birth is being sought. */
static bool masks_give(struct job *job, int64_t until_ns)
{
    if (!job->letting_go)
        return true;
    if (!parts_let_go(&job->parts, until_ns))
        return false;
    job->letting_go = false;
    parts_seek(&job->parts, &job->restoration);
    if (!job->restoration)
        parts_release(&job->parts);
    return true;
}

/* Waits for the next walk where there is time. */
static bool stop(struct job *job, int64_t until_ns, bool waits)
{
    if (!masks_give(job, until_ns))
        return false;
    if (!job->restoration)
        return true;
    if (waits)
        restoration_await(job->restoration, until_ns);
    else
        restoration_go_on(job->restoration, until_ns);
    if (!restoration_has_ended(job->restoration))
        return false;
    stop_end(job);
    return true;
}

void job_stop(struct job *job)
{
    if (job->parts.engine)
        let_go(job);
    (void)stop(job, INT64_MAX, true);
}

bool job_stop_begin(struct job *job)
{
    if (job->parts.engine)
        let_go(job);
    return stop(job, piece_end_ns(job), true);
}

bool job_stop_go_on(struct job *job)
{
    return stop(job, piece_end_ns(job), false);
}

bool job_is_letting_go(const struct job *job)
{
    return job->letting_go;
}

void job_mute(struct job *job)
{
    job->listener.told = NULL;
}

int64_t job_stop_next_ns(const struct job *job)
{
    return job->restoration ? restoration_next_ns(job->restoration) : 0;
}

/* ---- processors that go and come back ---- */

static void processor_lose(struct job *job, int processor)
{
    cpu_mask_add(&job->lost, job->parts.machine->processors[processor].os_index);
    engine_processor_lost(job->parts.engine, processor);
    tell(job, JOB_PROCESSOR_LOST);
}

static void processor_find(struct job *job, int processor)
{
    cpu_mask_remove(&job->lost, job->parts.machine->processors[processor].os_index);
    engine_processor_found(job->parts.engine, processor);
    tell(job, JOB_PROCESSOR_FOUND);
}

static void check_processors(struct job *job)
{
    const struct machine *machine = job->parts.machine;
    bool usable[MACHINE_PROCESSORS_MAX];

    if (world_processors(job->parts.world, gettid(), usable))
        return;
    for (int i = 0; i < machine->processors_count; i++) {
        const bool lost = cpu_mask_has(&job->lost, machine->processors[i].os_index);
        if (!usable[i] && !lost)
            processor_lose(job, i);
        else if (usable[i] && lost)
            processor_find(job, i);
    }
}

/* ---- processors that were not there before ---- */

/* What another engine has to be told again; it was news once. */
static void losses_repeat(struct job *job)
{
    const struct machine *machine = job->parts.machine;

    for (int i = 0; i < machine->processors_count; i++)
        if (cpu_mask_has(&job->lost, machine->processors[i].os_index))
            engine_processor_lost(job->parts.engine, i);
}

static void start(struct job *job)
{
    /* A program that runs already may have a smaller cpuset than juggle. */
    check_processors(job);
    engine_start(job->parts.engine);
    balancers_notify(job->parts.balancers);
}

/* With one processor it is put off until there is another. */
static void distribute_complete(struct job *job, int64_t at_ns)
{
    if (!workers_complete(job->parts.workers))
        return;
    discovery_wait(job->parts.discovery, false);
    if (job->parts.machine->processors_count < 2)
        return;
    start(job);
    job->distributed_ns = at_ns;
    job->check_ns = at_ns + CHECK_INTERVAL_NS;
    tell(job, JOB_DISTRIBUTED);
}

/* Until they are placed on the new machine, the threads have the masks that they are owed. What
 * was learned on the old one is lost. */
static void machine_change(struct job *job, const struct parts *fresh, int64_t at_ns)
{
    /* Children that were born with a mask of the old machine are found while that is known. */
    (void)!admission_scan(job->admission, at_ns);
    statistics_take(job);
    summary_carry(&job->summary);
    admission_suspend(job->admission);
    parts_replace(&job->parts, fresh);
    balancers_limit(job->parts.balancers, job->share_ppm);
    tell(job, JOB_MACHINE_GROWN);
    losses_repeat(job);
    admission_resume(job->admission, at_ns);
    if (job->distributed_ns)
        start(job);
    else
        distribute_complete(job, at_ns);
}

static void machine_renew(struct job *job, int64_t at_ns)
{
    const int64_t spent_ns = clock_spent_ns();
    struct engine_recorder recorder;
    struct parts fresh;
    const int error = parts_renew(&job->parts, recorder_of(job, &recorder), &fresh);

    if (!error)
        machine_change(job, &fresh, at_ns);
    growth_tried(&job->growth, !error || error == -EALREADY, at_ns, clock_spent_ns() - spent_ns);
}

static void check_machine(struct job *job, int64_t at_ns)
{
    struct cpu_mask usable;

    usable_here(&usable);
    if (job->parts.may_grow && growth_see(&job->growth, &usable, at_ns))
        machine_renew(job, at_ns);
}

/* ---- checking ---- */

static void check_memory(const struct parts *parts, int64_t at_ns)
{
    struct thread_view view;

    for (int slot = 0; slot < parts->policy.threads_max; slot++) {
        if (engine_thread(parts->engine, slot, &view) || view.processor < 0)
            continue;
        const int cpu = parts->machine->processors[view.processor].os_index;
        follow_see(parts->follow, slot, view.processor, numa_nodes_of_cpu(cpu), at_ns);
    }
    follow_decide(parts->follow, at_ns);
}

/* Without one, nobody would give the masks back if juggle were killed. */
static void check_guardian(struct job *job)
{
    struct guardian *guardian = job->parts.guardian;
    bool renewed;

    /* It is tried again at the next check. */
    if (guardian_renew(guardian, &renewed) || !renewed)
        return;
    if (!discovery_exclude(job->parts.discovery, guardian_pid(guardian)) &&
        !discovery_exclude(job->parts.discovery, guardian_deputy_pid(guardian)))
        tell(job, JOB_GUARDIAN_RENEWED);
}

static void check_begin(struct job *job, int64_t at_ns)
{
    job->check_ns = at_ns + CHECK_INTERVAL_NS;
    check_machine(job, at_ns);
    if (!job->distributed_ns)
        return;
    check_guardian(job);
    check_processors(job);
    job->checking = true;
}

/* In pieces, where these are wanted. */
static void check(struct job *job, int64_t at_ns)
{
    if (!job->checking)
        check_begin(job, at_ns);
    if (!job->checking || !admission_check(job->admission, at_ns, piece_end_ns(job)))
        return;
    job->checking = false;
    if (job->parts.follow)
        check_memory(&job->parts, at_ns);
}

/* ---- polling ---- */

static void check_spin(struct job *job, int64_t at_ns)
{
    struct spinners *spinners = job->parts.spinners;
    const bool blind = spinners_are_blind(spinners);

    spinners_poll(spinners, at_ns);
    if (!blind && spinners_are_blind(spinners))
        tell(job, JOB_SPIN_UNSEEN);
}

/* What the pinned threads of a process bore is found while it is known: it is disowned after a
 * whole look, and what was owed to it is forgotten after another. */
static void leaving_go_on(struct job *job)
{
    struct debts *debts = guardian_debts(job->parts.guardian);
    const int left_count = job->disowned_count;

    for (int i = 0; i < left_count; i++)
        debts_release(debts, job->leaving[i]);
    job->leaving_count -= left_count;
    for (int i = 0; i < job->leaving_count; i++) {
        job->leaving[i] = job->leaving[left_count + i];
        discovery_disown(job->parts.discovery, job->leaving[i]);
    }
    job->disowned_count = job->leaving_count;
}

/* -EAGAIN: it has not ended yet. */
static int scan_until(struct job *job, int64_t at_ns, int64_t until_ns)
{
    const int error = admission_scan_until(job->admission, at_ns, until_ns);

    if (error)
        return error;
    if (!job->distributed_ns)
        distribute_complete(job, at_ns);
    leaving_go_on(job);
    return 0;
}

/* In pieces, where these are wanted. */
static int scan(struct job *job, int64_t at_ns)
{
    const int error = scan_until(job, at_ns, piece_end_ns(job));

    return error == -EAGAIN ? 0 : error;
}

static bool is_scanning(const struct job *job)
{
    return job->leaving_count || admission_is_looking(job->admission);
}

bool job_is_looking(const struct job *job)
{
    return job->checking || is_scanning(job);
}

int job_poll(struct job *job, int64_t at_ns)
{
    struct discovery *discovery = job->parts.discovery;
    int error = 0;

    if (!job->parts.engine || parts_fault(&job->parts))
        return -EPROTO;
    discovery_hear(discovery, at_ns);
    discovery_check(discovery, at_ns);
    if (is_scanning(job) || discovery_due(discovery, at_ns))
        error = scan(job, at_ns);
    if (!error && (job->checking || job->check_ns <= at_ns))
        check(job, at_ns);
    if (!error && admission_next_ns(job->admission) <= at_ns)
        admission_retry(job->admission, at_ns);
    if (!error && job->distributed_ns)
        check_spin(job, at_ns);
    return error;
}

int job_adopt(struct job *job, pid_t pid)
{
    if (!admission_may_take(job->admission, pid))
        return -EALREADY;
    return discovery_adopt(job->parts.discovery, pid);
}

int job_disown(struct job *job, pid_t pid, int64_t at_ns)
{
    const size_t size = sizeof(pid_t) * ((size_t)job->leaving_count + 1);
    const int64_t until_ns = piece_end_ns(job);
    pid_t *leaving = realloc(job->leaving, size);
    int error = 0;

    if (!leaving) {
        discovery_disown(job->parts.discovery, pid);
        return -ENOMEM;
    }
    job->leaving = leaving;
    leaving[job->leaving_count++] = pid;
    /* The looks that it takes begin now. */
    admission_abandon(job->admission);
    while (!error && job->leaving_count)
        error = scan_until(job, at_ns, until_ns);
    return error == -EAGAIN ? 0 : error;
}

int64_t job_next_ns(const struct job *job)
{
    if (!job->parts.engine)
        return INT64_MAX;
    if (job_is_looking(job))
        return 0;
    const int64_t scan_ns = discovery_next_ns(job->parts.discovery);
    const int64_t next_ns = min_i64(scan_ns,
                                    min_i64(job->check_ns, admission_next_ns(job->admission)));

    return job->distributed_ns ? min_i64(next_ns, spinners_next_ns(job->parts.spinners)) : next_ns;
}

int job_fd(const struct job *job)
{
    if (!job->parts.engine)
        return -1;
    return discovery_fd(job->parts.discovery);
}

/* ---- views ---- */

const char *job_fault(const struct job *job)
{
    return job->parts.engine ? parts_fault(&job->parts) : job->fault;
}

const struct machine *job_machine(const struct job *job)
{
    return job->parts.machine;
}

const struct policy_options *job_policy(const struct job *job)
{
    return &job->parts.policy;
}

const char *job_source_name(const struct job *job)
{
    return progress_name(world_progress(job->parts.world));
}

const char *job_source_reason(const struct job *job)
{
    return progress_reason(world_progress(job->parts.world));
}

const char *job_discovery_method(const struct job *job)
{
    return discovery_method(job->parts.discovery);
}

bool job_follows_memory(const struct job *job)
{
    return job->parts.follow;
}

const struct capacity *job_capacity(const struct job *job)
{
    return &job->parts.capacity;
}

struct page *job_page(const struct job *job)
{
    return job->parts.page;
}

int job_slot_thread(const struct job *job, int slot, struct job_thread *thread)
{
    return admission_thread(job->admission, slot, thread);
}

void job_statistics(struct job *job, struct job_statistics *statistics)
{
    if (job->parts.engine)
        statistics_take(job);
    *statistics = job->summary.statistics;
}

int job_threads(struct job *job, struct job_thread *threads, int threads_max)
{
    return summary_threads(admission_members(job->admission), threads, threads_max);
}
