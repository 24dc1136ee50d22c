/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleaving. All state belongs to the thread that calls job_poll, but for `observers`, which the
 * balancer threads call through the engine's recorder, under its lock: they are complete before the
 * balancers start.
 */
#include "libjuggle/job/job.h"

#include "libjuggle/job/admission.h"
#include "libjuggle/job/parts.h"
#include "libjuggle/job/summary.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/numa_nodes.h"

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
    enum balancers_shape shape;
    int64_t started_ns;
    int64_t distributed_ns; /* 0 before the first distribution */
    int64_t check_ns;       /* when next */

    struct parts parts;
    struct admission *admission;
    bool lost[MACHINE_PROCESSORS_MAX];
    struct engine_recorder observers[OBSERVERS_MAX];
    int observers_count;
    struct summary summary; /* as last taken */
};

static void tell(const struct job *job, enum job_news news)
{
    if (job->listener.told)
        job->listener.told(job->listener.context, news, NULL);
}

/* ---- create, destroy ---- */

int job_create(const struct job_options *options, char problem[JOB_PROBLEM_SIZE],
               struct job **result)
{
    struct job *job = calloc(1, sizeof(*job));
    int error = -ENOMEM;

    if (!job) {
        snprintf(problem, JOB_PROBLEM_SIZE, "%s", strerror(ENOMEM));
        return -ENOMEM;
    }
    job->listener = options->listener;
    job->shape = options->shape;
    error = parts_create(options, problem, &job->parts);
    if (!error) {
        error = admission_create(&job->parts, options, &job->admission);
        if (error)
            snprintf(problem, JOB_PROBLEM_SIZE, "%s", strerror(-error));
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
    parts_destroy(&job->parts);
    admission_destroy(job->admission);
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

int job_start(struct job *job)
{
    /* Without an observer the domains decide side by side, without the recorder's lock. */
    const struct engine_recorder recorder = {record_all, job};

    job->started_ns = clock_now_ns();
    return parts_start(&job->parts, job->shape, job->observers_count ? &recorder : NULL);
}

void job_limit(struct job *job, int share_ppm)
{
    balancers_limit(job->parts.balancers, share_ppm);
}

static void statistics_take(struct job *job)
{
    const int64_t waited_ns = job->distributed_ns ? job->distributed_ns - job->started_ns : -1;

    summary_take(&job->summary, &job->parts, job->admission, waited_ns);
}

void job_stop(struct job *job)
{
    if (!job->parts.engine)
        return;
    admission_close(job->admission, clock_now_ns());
    statistics_take(job);
    parts_release(&job->parts);
}

/* ---- checking ---- */

static void check_processors(struct job *job)
{
    const struct parts *parts = &job->parts;
    bool usable[MACHINE_PROCESSORS_MAX];

    if (world_processors(parts->world, gettid(), usable))
        return;
    for (int i = 0; i < parts->machine.processors_count; i++) {
        if (usable[i] != job->lost[i])
            continue;
        job->lost[i] = !usable[i];
        if (job->lost[i])
            engine_processor_lost(parts->engine, i);
        else
            engine_processor_found(parts->engine, i);
        tell(job, job->lost[i] ? JOB_PROCESSOR_LOST : JOB_PROCESSOR_FOUND);
    }
}

static void check_memory(const struct parts *parts, int64_t at_ns)
{
    struct thread_view view;

    for (int slot = 0; slot < parts->policy.threads_max; slot++) {
        if (engine_thread(parts->engine, slot, &view) || view.processor < 0)
            continue;
        const int cpu = parts->machine.processors[view.processor].os_index;
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
    if (!discovery_exclude(job->parts.discovery, guardian_pid(guardian)))
        tell(job, JOB_GUARDIAN_RENEWED);
}

static void check(struct job *job, int64_t at_ns)
{
    check_guardian(job);
    check_processors(job);
    admission_check(job->admission, at_ns);
    if (job->parts.follow)
        check_memory(&job->parts, at_ns);
    job->check_ns = at_ns + CHECK_INTERVAL_NS;
}

/* ---- polling ---- */

static void distribute(struct job *job, int64_t at_ns)
{
    discovery_wait(job->parts.discovery, false);
    /* A program that runs already may have a smaller cpuset than juggle. */
    check_processors(job);
    engine_start(job->parts.engine);
    balancers_notify(job->parts.balancers);
    job->distributed_ns = at_ns;
    job->check_ns = at_ns + CHECK_INTERVAL_NS;
    tell(job, JOB_DISTRIBUTED);
}

static int scan(struct job *job, int64_t at_ns)
{
    int error = admission_scan(job->admission, at_ns);

    if (!error && !job->distributed_ns && workers_complete(job->parts.workers))
        distribute(job, at_ns);
    return error;
}

int job_poll(struct job *job, int64_t at_ns)
{
    struct discovery *discovery = job->parts.discovery;
    int error = 0;

    discovery_hear(discovery, at_ns);
    discovery_glance(discovery, at_ns);
    if (discovery_due(discovery, at_ns))
        error = scan(job, at_ns);
    if (!error && job->distributed_ns && job->check_ns <= at_ns)
        check(job, at_ns);
    if (!error && admission_next_ns(job->admission) <= at_ns)
        admission_retry(job->admission, at_ns);
    return error;
}

int job_adopt(struct job *job, pid_t pid)
{
    return discovery_adopt(job->parts.discovery, pid);
}

int job_disown(struct job *job, pid_t pid, int64_t at_ns)
{
    discovery_disown(job->parts.discovery, pid);
    return scan(job, at_ns);
}

int64_t job_next_ns(const struct job *job)
{
    const int64_t scan_ns = discovery_next_ns(job->parts.discovery);
    const int64_t check_ns = job->distributed_ns ? job->check_ns : INT64_MAX;

    return min_i64(scan_ns, min_i64(check_ns, admission_next_ns(job->admission)));
}

int job_fd(const struct job *job)
{
    return discovery_fd(job->parts.discovery);
}

/* ---- views ---- */

const struct machine *job_machine(const struct job *job)
{
    return &job->parts.machine;
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
    return summary_threads(admission_members(job->admission), &job->parts.machine, threads,
                           threads_max);
}
