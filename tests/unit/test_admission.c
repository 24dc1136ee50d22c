/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs that come, take processes in, rest, lose processes and end in any order, while limits
 * change: checks which are admitted, what share each is told that it may take, and that each end
 * is reported once. */
#include "tests/lib/chance.h"
#include "tests/lib/told.h"

#include "juggled/care/releases.h"
#include "juggled/care/jobs.h"
#include "juggled/care/neighbors.h"
#include "juggled/care/jobs_shared.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { USERS = 3, PIDS = 24, NAMES = 9, MOST = 4, STEPS = 200 };

struct service_job {
    char name[JOB_NAME_SIZE];
    enum job_origin origin;
    struct wish wish;
    bool rests, wants_rest, is_over, ended;
    int living, turns_ppm, looks_ppm;
    int count;
    struct process processes[MOST];
};

static struct jobs *jobs;
static struct jobs_limits limits;
static int made_count, ended_count, destroyed_count, polled_count, refused[USERS];

/* ---- stand-ins for the parts of a job ---- */

int service_job_create(const struct jobs_shared *shared, const struct service_job_request *request,
                       char problem[JOB_PROBLEM_SIZE], struct service_job **job)
{
    (void)shared;
    (void)problem;
    if (one_in(10))
        return -ESRCH;
    *job = calloc(1, sizeof(**job));
    **job = (struct service_job){.origin = request->origin, .wish = *request->wish, .count = 1};
    snprintf((*job)->name, sizeof((*job)->name), "%s", request->name);
    (*job)->processes[0] = *request->process;
    (*job)->processes[0].joins = 1;
    made_count++;
    return 0;
}

void service_job_destroy(struct service_job *job)
{
    destroyed_count += job != NULL;
    free(job);
}

void service_job_end(struct service_job *job)
{
    ALWAYS(!job->ended);
    job->ended = true;
}

static struct process *found(struct service_job *job, const struct process *process)
{
    for (int i = 0; i < job->count; i++)
        if (process_is(&job->processes[i], process))
            return &job->processes[i];
    return NULL;
}

bool service_job_has(struct service_job *job, const struct process *process)
{
    return found(job, process);
}

int service_job_adopt(struct service_job *job, const struct process *process)
{
    struct process *same = found(job, process);

    if (!same && job->count == MOST)
        return -ENOSPC;
    if (!same) {
        same = &job->processes[job->count++];
        *same = *process;
    }
    same->joins++;
    return 0;
}

bool service_job_leave(struct service_job *job, const struct process *process)
{
    struct process *same = found(job, process);

    if (--same->joins == 0)
        *same = job->processes[--job->count];
    return job->count;
}

bool service_job_poll(struct service_job *job, int64_t now_ns)
{
    (void)now_ns;
    polled_count++;
    job->rests = job->wants_rest;
    job->living = job->rests ? 0 : (int)below(6);
    return !job->is_over;
}

void service_job_rest(struct service_job *job, int64_t now_ns, const char *why)
{
    (void)now_ns;
    (void)why;
    job->rests = job->wants_rest = true;
    job->living = 0;
}

int service_job_period(struct service_job *job, int64_t period_ns, char problem[JOB_PROBLEM_SIZE])
{
    (void)period_ns;
    (void)problem;
    job->rests = one_in(2);
    return 0;
}

void service_job_limit(struct service_job *job, int turns_ppm, int looks_ppm)
{
    job->turns_ppm = turns_ppm;
    job->looks_ppm = looks_ppm;
}

void service_job_pause(struct service_job *job)
{
    job->rests = true;
    job->living = 0;
}

void service_job_continue(struct service_job *job)
{
    job->wants_rest = false;
}

#define TELLS(type, function, value)             \
    type function(const struct service_job *job) \
    {                                            \
        return value;                            \
    }

TELLS(const char *, service_job_name, job->name)
TELLS(uid_t, service_job_uid, (uid_t)(job->name[0] - '0'))
TELLS(enum job_origin, service_job_origin, job->origin)
TELLS(enum service_job_state, service_job_state,
      job->rests ? SERVICE_JOB_RESTING : SERVICE_JOB_BALANCING)
TELLS(const struct wish *, service_job_wish, &job->wish)
TELLS(int, service_job_living, job->living)
TELLS(int64_t, service_job_next_ns, job ? 0 : 1)

/* Functions that have nothing to do in this test. */

void service_job_record(struct service_job *job)
{
    ALWAYS(!job->ended);
}

void service_job_forget(const struct service_job *job)
{
    ALWAYS(job->ended);
}

int service_job_processes(const struct service_job *job, const struct process **processes)
{
    *processes = job->processes;
    return job->count;
}

bool service_job_is_looking(const struct service_job *job)
{
    return job->rests;
}

void service_job_keep(struct service_job *job)
{
    ALWAYS(!job->ended);
}

int releases_create(struct store *store, struct releases **releases)
{
    (void)store;
    *releases = NULL;
    return 0;
}

void releases_destroy(struct releases *releases)
{
    ALWAYS(!releases);
}

int releases_count(const struct releases *releases)
{
    return releases != NULL;
}

void releases_poll(struct releases *releases, int64_t now_ns)
{
    ALWAYS(!releases && now_ns);
}

int64_t releases_next_ns(const struct releases *releases)
{
    return releases ? 0 : INT64_MAX;
}

void neighbors_threads(void *context, int counts[CPU_MASK_CPUS_MAX])
{
    (void)context;
    (void)counts;
}

/* ---- what always holds ---- */

static void expect_ended_once(void *context, const struct service_job *job)
{
    (void)context;
    ALWAYS(job->ended && jobs_find(jobs, job->name) == job);
    ended_count++;
}

/* What the jobs of one user hold together; of all users, if uid is -1. */
struct held {
    int jobs, balanced, living, asked;
};

static struct held held_by(int uid)
{
    struct held held = {0};
    const struct service_job *job;
    int cursor = 0;

    while ((job = jobs_next(jobs, &cursor))) {
        if (uid >= 0 && service_job_uid(job) != (uid_t)uid)
            continue;
        held.jobs++;
        held.balanced += !job->rests;
        held.living += job->living;
        held.asked += job->living > job->wish.threads ? job->living : job->wish.threads;
    }
    return held;
}

/* Shares are divided at the end of a turn of the service's loop. */
static void expect_shares(void)
{
    const struct budget *budget = &limits.budget;
    struct service_job *job;
    int users = 0, cursor = 0;

    for (int uid = 0; uid < USERS; uid++)
        users += held_by(uid).balanced > 0;
    while ((job = jobs_next(jobs, &cursor))) {
        const int balanced = held_by((int)service_job_uid(job)).balanced;
        ALWAYS(job->turns_ppm == budget_turns_ppm(budget, users, balanced));
        ALWAYS(job->looks_ppm == budget_looks_ppm(budget, users, balanced));
    }
}

static void expect_jobs(void)
{
    struct service_job *job;
    int cursor = 0;

    while ((job = jobs_next(jobs, &cursor))) {
        ALWAYS(!job->ended);
        for (int i = 0; i < job->count; i++)
            ALWAYS(jobs_find_process(jobs, &job->processes[i]) == job);
    }
    ALWAYS(jobs_count(jobs) == held_by(-1).jobs && made_count - ended_count == jobs_count(jobs));
    ALWAYS(destroyed_count <= ended_count);
}

static void expect_users(void)
{
    static struct jobs_user users[JOBS_USERS_MAX];
    const int count = jobs_users(jobs, users);

    for (int i = 0; i < count; i++) {
        const int uid = (int)users[i].uid;
        const struct held held = held_by(uid);
        ALWAYS(users[i].jobs_count == held.jobs && users[i].threads_count == held.living);
        ALWAYS(users[i].resting_count == held.jobs - held.balanced);
        ALWAYS(users[i].refused_count == refused[uid]);
    }
}

/* ---- random events ---- */

/* Returns what the documentation says of a new job: 0 if it is made (if its process exists),
 * else the error. */
static int admission(const struct process *process, const char *full_name, int threads)
{
    const int uid = (int)process->uid, kept = uid == 0 ? 0 : limits.jobs_max / 8;
    const struct held held = held_by(uid);

    if (jobs_find(jobs, full_name))
        return -EEXIST;
    if (jobs_find_process(jobs, process))
        return -EBUSY;
    return jobs_count(jobs) >= limits.jobs_max - kept || held.jobs >= limits.jobs_per_user ||
                   held.asked + threads > limits.threads_per_user
               ? -EUSERS
               : 0;
}

static void job_come(const struct process *process)
{
    char name[8], full_name[JOB_NAME_SIZE], problem[JOB_PROBLEM_SIZE] = "";
    const struct wish wish = {.threads = one_in(2) ? 0 : (int)below(12)};
    const bool named = !one_in(4);
    struct service_job *job = NULL;

    snprintf(name, sizeof(name), "%d", named ? (int)below(NAMES) : process->pid);
    snprintf(full_name, sizeof(full_name), "%u/%s", (unsigned)process->uid, name);
    const struct service_job_request request = {.origin = (enum job_origin)below(ORIGINS_COUNT),
                                                .name = named ? name : NULL,
                                                .process = process,
                                                .wish = &wish};
    const int expected = admission(process, full_name, wish.threads);
    const int error = jobs_add(jobs, &request, problem, &job);
    ALWAYS(error == expected || (!expected && error == -ESRCH));
    ALWAYS((error == -EUSERS) == !!*problem);
    refused[process->uid] += error == -EUSERS;
    if (error == -EEXIST && service_job_uid(job) == process->uid) {
        struct service_job *holder = jobs_find_process(jobs, process);
        const int adopted = jobs_adopt(jobs, job, process, problem);
        ALWAYS((adopted == -EBUSY) == (holder && holder != job));
        refused[process->uid] += adopted == -EUSERS;
    }
}

static void limits_change(void)
{
    limits = (struct jobs_limits){
        .jobs_max = (int)between(1, 20),
        .jobs_per_user = (int)between(1, 8),
        .threads_per_user = (int)between(1, 40),
        .budget = {(int)between(1, 100), (int)between(1, 100), (int)between(1, 64)},
    };
    jobs_limit(jobs, &limits);
}

/* Polls the jobs that are due, in one call or in several. */
static void poll(void)
{
    const int count = jobs_count(jobs);

    polled_count = 0;
    jobs_poll(jobs, clock_now_ns());
    for (int uid = 0; polled_count == count && uid < USERS; uid++)
        ALWAYS(held_by(uid).living <= limits.threads_per_user);
}

static void something_happens(void)
{
    const pid_t pid = (pid_t)between(100, 100 + PIDS);
    const struct process process = {.pid = pid, .start_ticks = 1, .uid = (uid_t)pid % USERS};
    struct service_job *job = jobs_find_process(jobs, &process);
    char problem[JOB_PROBLEM_SIZE];

    if (!job || one_in(3)) {
        job_come(&process);
    } else if (one_in(6)) {
        jobs_release(jobs, job);
    } else if (one_in(4)) {
        const bool joined = job->origin == ORIGIN_JOIN;
        ALWAYS(jobs_leave(jobs, &process) == (joined ? 0 : -ESRCH));
    } else if (one_in(4)) {
        ALWAYS(jobs_period(jobs, job, NSEC_PER_MSEC, problem) == 0);
    } else {
        job->is_over = one_in(6);
        job->wants_rest = one_in(3);
    }
    if (one_in(12))
        limits_change();
    if (one_in(15))
        jobs_pause(jobs, !jobs_are_paused(jobs));
    if (one_in(3))
        poll();
}

static void come_and_go(void)
{
    const struct jobs_options options = {.proc_fd = -1, .ended = expect_ended_once};

    made_count = ended_count = destroyed_count = 0;
    memset(refused, 0, sizeof(refused));
    ck_assert_int_eq(jobs_create(&options, &jobs), 0);
    limits_change();
    for (int step = 0; step < STEPS; step++) {
        something_happens();
        expect_jobs();
        expect_users();
        if (one_in(4)) {
            jobs_sweep(jobs);
            expect_shares();
            ALWAYS(destroyed_count == ended_count && !jobs_fault(jobs));
        }
    }
    jobs_destroy(jobs);
    ALWAYS(destroyed_count == made_count);
}

START_TEST(who_is_admitted_has_its_share_and_ends_once)
{
    live_with_seeds(200, come_and_go);
}

SUITE("admission")
