/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaving. All state belongs to the thread that calls job_poll, but for the observer, which
 * the balancer threads call through the engine, under its lock.
 *
 * The parts, in this order:
 * - create, destroy
 * - start, stop
 * - checking: memory, the guardian, faults
 * - polling: looks, spinning threads, leaving
 * - views */
#include "libjuggle/job/state.h"

#include "libjuggle/linux/problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- create, destroy ---- */

static int roots_copy(struct job *job, const struct job_options *options)
{
    /* One more, so that a NULL of calloc() always means that there is no memory. */
    job->roots = calloc((size_t)options->roots_count + 1, sizeof(pid_t));
    if (!job->roots)
        return -ENOMEM;
    for (int i = 0; i < options->roots_count; i++)
        job->roots[i] = options->roots[i];
    job->roots_count = options->roots_count;
    return 0;
}

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
    job_usable_here(&usable);
    growth_begin(&job->growth, &usable);
    error = parts_create(options, problem, &job->parts);
    if (!error) {
        error = admission_create(&job->parts, options, &job->admission);
        if (!error)
            error = roots_copy(job, options);
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
    free(job->roots);
    free(job);
}

/* ---- start, stop ---- */

void job_observe(struct job *job, const struct engine_recorder *observer)
{
    job->observer = *observer;
}

int job_start(struct job *job)
{
    job->started_ns = job->check_ns = clock_now_ns();
    return parts_start(&job->parts, &job->observer);
}

void job_limit(struct job *job, int share_ppm)
{
    job->share_ppm = share_ppm;
    balancers_limit(job->parts.balancers, share_ppm);
}

/* ---- checking ---- */

static void check_memory(const struct parts *parts, int64_t at_ns)
{
    struct thread_view view;

    for (int engine_index = 0; engine_index < parts->policy.threads_max; engine_index++) {
        if (engine_thread(parts->engine, engine_index, &view) || view.processor < 0)
            continue;
        follow_see(parts->follow, engine_index, view.processor,
                   memory_node(parts->memory, view.processor), at_ns);
    }
    follow_decide(parts->follow, at_ns);
}

/* Starts another guardian if the last one has died. If that fails, the next check tries it
 * again. */
static void check_guardian(struct job *job)
{
    bool renewed;

    if (!parts_guard(&job->parts, &renewed) && renewed)
        job_tell(job, JOB_GUARDIAN_RENEWED);
}

static void check_begin(struct job *job, int64_t at_ns)
{
    job->check_ns = at_ns + CHECK_INTERVAL_NS;
    job_check_machine(job, at_ns);
    if (!job->distributed_ns)
        return;
    check_guardian(job);
    job_check_processors(job);
    job->checking = true;
}

/* Begins a check or continues it, in pieces if the options ask for that. */
static void check(struct job *job, int64_t at_ns)
{
    if (!job->checking)
        check_begin(job, at_ns);
    if (!job->checking || !admission_check(job->admission, at_ns, job_piece_end_ns(job)))
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
    const enum spinning before = spinners_seen(spinners);

    spinners_poll(spinners, at_ns);
    if (!blind && spinners_are_blind(spinners))
        job_tell(job, JOB_SPIN_UNSEEN);
    if (spinners_seen(spinners) != before)
        engine_spinning(job->parts.engine, spinners_seen(spinners));
}

/* Drops the claim of a root: only roots are claimed for themselves, besides their threads. */
static void root_disclaim(struct job *job, pid_t pid)
{
    for (int i = 0; i < job->roots_count; i++)
        if (job->roots[i] == pid) {
            claims_drop(job->parts.claims, pid);
            job->roots[i] = 0;
        }
}

/* A process leaves in two steps. After one whole look, which finds what its pinned threads have
 * created, it is disowned. After the next, which lets go of its threads, its debts are released.
 * Entries below disowned_count have the first step behind them. */
static void leaving_go_on(struct job *job)
{
    struct debts *debts = guardian_debts(job->parts.guardian);
    const int left_count = job->disowned_count;

    if (!HOLDS(&job->checks, left_count >= 0 && left_count <= job->leaving_count))
        return;
    for (int i = 0; i < left_count; i++) {
        debts_release(debts, job->leaving[i]);
        root_disclaim(job, job->leaving[i]);
    }
    job->leaving_count -= left_count;
    for (int i = 0; i < job->leaving_count; i++) {
        job->leaving[i] = job->leaving[left_count + i];
        discovery_disown(job->parts.discovery, job->leaving[i]);
    }
    job->disowned_count = job->leaving_count;
}

/* If looks fail, disowns all leaving processes at once. Threads there that have inherited a mask of
 * ours are not looked for, so their debts are not released: the guardian may still need these. The
 * table reuses the row of a process that has ended. */
static void leaving_cut(struct job *job)
{
    for (int i = 0; i < job->leaving_count; i++) {
        discovery_disown(job->parts.discovery, job->leaving[i]);
        root_disclaim(job, job->leaving[i]);
    }
    job->leaving_count = job->disowned_count = 0;
}

/* Drops a process that joins again before it has left. */
static void leaving_drop(struct job *job, pid_t pid)
{
    int kept_count = 0, disowned_count = 0;

    for (int i = 0; i < job->leaving_count; i++) {
        if (job->leaving[i] == pid)
            continue;
        disowned_count += i < job->disowned_count;
        job->leaving[kept_count++] = job->leaving[i];
    }
    job->leaving_count = kept_count;
    job->disowned_count = disowned_count;
}

/* -EAGAIN: the look has not ended yet. */
static int scan_until(struct job *job, int64_t at_ns, int64_t until_ns)
{
    const int error = admission_scan_until(job->admission, at_ns, until_ns);

    if (error && error != -EAGAIN)
        leaving_cut(job);
    if (error)
        return error;
    if (!job->distributed_ns && !job->placing)
        job_distribute_complete(job, at_ns, until_ns);
    leaving_go_on(job);
    return 0;
}

/* Looks for threads, in pieces if the options ask for that. */
static int scan(struct job *job, int64_t at_ns)
{
    const int error = scan_until(job, at_ns, job_piece_end_ns(job));

    return error == -EAGAIN ? 0 : error;
}

static bool is_scanning(const struct job *job)
{
    return job->leaving_count || admission_is_looking(job->admission);
}

bool job_is_busy(const struct job *job)
{
    return job->placing || job->checking || is_scanning(job);
}

int job_poll(struct job *job, int64_t at_ns)
{
    struct discovery *discovery = job->parts.discovery;
    int error = 0;

    if (!job->parts.engine || job_fault(job))
        return -EPROTO;
    if (job->placing) {
        job_distribute(job, at_ns, job_piece_end_ns(job));
        return 0;
    }
    discovery_hear(discovery, at_ns);
    discovery_check(discovery, at_ns);
    if (is_scanning(job) || discovery_due(discovery, at_ns))
        error = scan(job, at_ns);
    if (!error && (job->checking || job->check_ns <= at_ns))
        check(job, at_ns);
    if (!error && admission_next_ns(job->admission) <= at_ns)
        admission_retry(job->admission, at_ns, job_piece_end_ns(job));
    if (!error && job->distributed_ns) {
        check_spin(job, at_ns);
        engine_short_phases(job->parts.engine, page_phases_are_short(job->parts.page, at_ns));
    }
    return error;
}

int job_adopt(struct job *job, pid_t pid)
{
    if (!admission_may_take(job->admission, pid))
        return -EALREADY;
    const int error = discovery_adopt(job->parts.discovery, pid);
    if (!error)
        leaving_drop(job, pid);
    return error;
}

int job_disown(struct job *job, pid_t pid, int64_t at_ns)
{
    const size_t size = sizeof(pid_t) * ((size_t)job->leaving_count + 1);
    const int64_t until_ns = job_piece_end_ns(job);
    pid_t *leaving = realloc(job->leaving, size);
    int error = 0;

    if (!leaving) { /* as leaving_cut */
        discovery_disown(job->parts.discovery, pid);
        root_disclaim(job, pid);
        return -ENOMEM;
    }
    job->leaving = leaving;
    leaving[job->leaving_count++] = pid;
    /* The looks that leaving takes begin now. */
    admission_abandon(job->admission);
    while (!error && job->leaving_count && !fault_text(&job->checks))
        error = scan_until(job, at_ns, until_ns);
    return error == -EAGAIN ? 0 : error;
}

int64_t job_next_ns(const struct job *job)
{
    if (!job->parts.engine)
        return INT64_MAX;
    if (job_is_busy(job))
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

const char *job_memory_stays(const struct job *job)
{
    return job->parts.follow ? NULL : "there is only one NUMA node with processors";
}

const struct capacity *job_capacity(const struct job *job)
{
    return &job->parts.capacity;
}

struct page *job_page(const struct job *job)
{
    return job->parts.page;
}

int job_engine_thread(const struct job *job, int engine_index, struct job_thread *thread)
{
    return admission_thread(job->admission, engine_index, thread);
}

void job_statistics(struct job *job, struct job_statistics *statistics)
{
    if (job->parts.engine)
        job_statistics_take(job);
    *statistics = job->summary.statistics;
}

int job_threads(struct job *job, struct job_thread *threads, int threads_max)
{
    return summary_threads(&job->summary, admission_members(job->admission), threads, threads_max);
}
