/* SPDX-License-Identifier: BSD-3-Clause */
/* Create, destroy; shares and limits; jobs come and go; due work; counts and views. */
#include "juggled/care/jobs.h"

#include "juggled/care/neighbors.h"
#include "juggled/care/holdings.h"
#include "juggled/log.h"
#include "juggled/rules/config.h"
#include "juggled/care/jobs_shared.h"
#include "juggled/care/processes.h"
#include "libjuggle/linux/claims.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/sysfs.h"
#include "libjuggle/wish/wish_json.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One job in this number is reserved for root. */
enum { ROOTS_PART = 8 };

/* Jobs are polled for POLL_PIECE_NS at a time; then clients are served for POLL_PAUSE_NS. */
#define POLL_PIECE_NS (4 * NSEC_PER_MSEC)
#define POLL_PAUSE_NS (2 * NSEC_PER_MSEC)

struct jobs {
    struct jobs_options options;
    struct jobs_limits limits;
    struct jobs_shared shared;
    struct claims_family claims_family;
    struct user_tally refused; /* jobs and processes that a limit refused */
    int polled;                /* cursor of the walk, if there was no time for all jobs */
    int64_t yield_until_ns;    /* until then other events are served */
    bool shares_are_stale; /* a job has begun or ceased to be balanced since they were divided */
    int users_count;       /* with a job that is balanced, when the shares were divided */
};

/* ---- create, destroy ---- */

static void destroy(void *job)
{
    service_job_destroy(job);
}

int jobs_create(const struct jobs_options *options, struct jobs **result)
{
    struct jobs *jobs = calloc(1, sizeof(*jobs));

    if (!jobs)
        return -ENOMEM;
    jobs->options = *options;
    jobs->shared.proc_fd = options->proc_fd;
    cgroup_mounts_read(options->proc_fd, "cpu", &jobs->shared.mounts);
    jobs->shared.store = options->store;
    jobs->shared.claims_family = &jobs->claims_family;
    jobs->shared.sees_spinning = options->own_user_only;
    jobs->shared.service_jobs = (struct entries){.destroy = destroy};
    jobs->shared.neighbors = (struct job_neighbors){neighbors_threads, &jobs->shared.service_jobs};
    const int error = releases_create(options->store, &jobs->shared.releases);
    if (error) {
        free(jobs);
        return error;
    }
    if (sysfs_open(&jobs->shared.sys_fd))
        jobs->shared.sys_fd = -1;
    *result = jobs;
    return 0;
}

void jobs_destroy(struct jobs *jobs)
{
    if (!jobs)
        return;
    entries_release(&jobs->shared.service_jobs);
    releases_destroy(jobs->shared.releases);
    if (jobs->shared.sys_fd >= 0)
        close(jobs->shared.sys_fd);
    free(jobs);
}

/* ---- shares and limits ---- */

/* Many jobs may come or go in one turn of the service's loop: the shares are divided once. Without
 * memory they are divided in a later turn. */
static void shares_renew(struct jobs *jobs)
{
    if (jobs->shares_are_stale)
        jobs->shares_are_stale = holdings_share(&jobs->shared.service_jobs, &jobs->limits.budget,
                                                &jobs->users_count) != 0;
}

void jobs_sweep(struct jobs *jobs)
{
    shares_renew(jobs);
    if (entries_sweep(&jobs->shared.service_jobs))
        /* Otherwise malloc would keep megabytes of the freed memory for the rest of the
         * service's life. */
        malloc_trim(0);
}

void jobs_limit(struct jobs *jobs, const struct jobs_limits *limits)
{
    jobs->limits = *limits;
    jobs->shares_are_stale = true;
}

/* If its user has too many threads, lets `job` rest: it was looked at last, so it is the one
 * that has grown. */
static void threads_bound(const struct jobs *jobs, struct service_job *job, int64_t now_ns)
{
    char why[JOB_PROBLEM_SIZE];

    if (holding_of(&jobs->shared.service_jobs, service_job_uid(job)).threads_count <=
        jobs->limits.threads_per_user)
        return;
    snprintf(why, sizeof(why), "its user has more than %d threads to balance",
             jobs->limits.threads_per_user);
    service_job_rest(job, now_ns, why);
}

/* ---- jobs come, go ---- */

/* The number of jobs that users may have together, or root. Some are reserved for root, so that
 * users cannot lock it out. */
static int jobs_open_to(const struct jobs *jobs, uid_t uid)
{
    const int jobs_max = jobs->limits.jobs_max;

    return uid == 0 ? jobs_max : jobs_max - jobs_max / ROOTS_PART;
}

/* Checks whether a new job may be made: -EEXIST or -EBUSY with the older job, or -EUSERS with a
 * limit. */
static int admit(struct jobs *jobs, const struct service_job_request *request,
                 char problem[JOB_PROBLEM_SIZE], struct service_job **job)
{
    const struct jobs_limits *limits = &jobs->limits;
    const uid_t uid = request->process->uid;
    const struct holding holding = holding_of(&jobs->shared.service_jobs, uid);

    if ((*job = jobs_find(jobs, request->name)))
        return -EEXIST;
    if ((*job = jobs_find_process(jobs, request->process)))
        return -EBUSY;
    if (jobs_count(jobs) >= jobs_open_to(jobs, uid))
        config_tell_limit(jobs_open_to(jobs, uid), uid == 0 ? "jobs" : "jobs of users", "jobs",
                          problem);
    else if (holding.jobs_count >= limits->jobs_per_user)
        config_tell_limit(limits->jobs_per_user, "jobs of this user", "jobs-per-user", problem);
    else if (request->wish->threads > limits->threads_per_user - holding.asked_count)
        config_tell_limit(limits->threads_per_user, "balanced threads of this user",
                          "threads-per-user", problem);
    else
        return 0;
    return -EUSERS;
}

static int service_job_make(struct jobs *jobs, const struct service_job_request *request,
                            char *problem, struct service_job **result)
{
    struct service_job *job = NULL;
    int error = service_job_create(&jobs->shared, request, problem, &job);

    if (!error)
        error = entries_add(&jobs->shared.service_jobs, job);
    if (!error) {
        jobs->shares_are_stale = true;
        *result = job;
        return 0;
    }
    if (error == -ENOMEM)
        snprintf(problem, JOB_PROBLEM_SIZE, "%s", strerror(ENOMEM));
    service_job_destroy(job);
    return error;
}

int jobs_add(struct jobs *jobs, const struct service_job_request *request,
             char problem[JOB_PROBLEM_SIZE], struct service_job **job)
{
    struct service_job_request named = *request;
    char name[JOB_NAME_SIZE];

    if (request->name)
        snprintf(name, sizeof(name), "%u/%s", (unsigned)request->process->uid, request->name);
    else
        snprintf(name, sizeof(name), "%u/%d", (unsigned)request->process->uid,
                 (int)request->process->pid);
    named.name = name;
    int error = admit(jobs, &named, problem, job);
    if (error == -EUSERS)
        tally_add(&jobs->refused, request->process->uid);
    if (!error)
        error = service_job_make(jobs, &named, problem, job);
    if (error)
        return error;
    service_job_record(*job);
    log_tell(LOG_INFO, name, "is managed now (%s), beginning with process %d",
             job_origin_name(request->origin), (int)request->process->pid);
    return 0;
}

int jobs_adopt(struct jobs *jobs, struct service_job *job, const struct process *process,
               char problem[JOB_PROBLEM_SIZE])
{
    const struct service_job *holder = jobs_find_process(jobs, process);

    if (holder && holder != job)
        return -EBUSY;
    int error = service_job_adopt(job, process);
    if (error == -EALREADY)
        claims_explain(jobs->shared.proc_fd, process->pid, problem, JOB_PROBLEM_SIZE);
    if (error != -ENOSPC)
        return error;
    tally_add(&jobs->refused, process->uid);
    snprintf(problem, JOB_PROBLEM_SIZE, "more than %d processes of one job", PROCESSES_MAX);
    return -EUSERS;
}

static void jobs_drop(struct jobs *jobs, struct service_job *job, const char *why)
{
    service_job_end(job);
    if (jobs->options.ended)
        jobs->options.ended(jobs->options.context, job);
    service_job_forget(job);
    log_tell(LOG_INFO, service_job_name(job), "%s", why);
    entries_drop(&jobs->shared.service_jobs, job);
    jobs->shares_are_stale = true;
}

void jobs_release(struct jobs *jobs, struct service_job *job)
{
    jobs_drop(jobs, job, "released");
}

int jobs_leave(struct jobs *jobs, const struct process *process)
{
    struct service_job *job = jobs_find_process(jobs, process);

    if (!job || service_job_origin(job) != ORIGIN_JOIN)
        return -ESRCH;
    if (!service_job_leave(job, process))
        jobs_drop(jobs, job, "all have left");
    return 0;
}

int jobs_period(struct jobs *jobs, struct service_job *job, int64_t period_ns,
                char problem[JOB_PROBLEM_SIZE])
{
    jobs->shares_are_stale = true;
    return service_job_period(job, period_ns, problem);
}

/* ---- what is due ---- */

static void poll_one(struct jobs *jobs, struct service_job *job, int64_t now_ns)
{
    const bool was_balanced = holding_is_balanced(job);

    if (!service_job_poll(job, now_ns)) {
        jobs_drop(jobs, job, "has ended");
        return;
    }
    if (holding_is_balanced(job))
        threads_bound(jobs, job, now_ns);
    if (holding_is_balanced(job) != was_balanced)
        jobs->shares_are_stale = true;
}

/* Polls jobs for POLL_PIECE_NS; the remaining jobs come first in the next call. */
static void poll_some(struct jobs *jobs, int64_t now_ns)
{
    struct service_job *job;

    while ((job = jobs_next(jobs, &jobs->polled))) {
        if (service_job_next_ns(job) > now_ns)
            continue;
        poll_one(jobs, job, now_ns);
        if (clock_now_ns() - now_ns >= POLL_PIECE_NS)
            return;
    }
    jobs->polled = 0;
}

void jobs_poll(struct jobs *jobs, int64_t now_ns)
{
    if (jobs->yield_until_ns > now_ns)
        return;
    shares_renew(jobs);
    releases_poll(jobs->shared.releases, now_ns);
    poll_some(jobs, now_ns);
    const int64_t ended_ns = clock_now_ns();
    if (ended_ns - now_ns >= POLL_PIECE_NS)
        jobs->yield_until_ns = ended_ns + POLL_PAUSE_NS;
}

int64_t jobs_next_ns(const struct jobs *jobs)
{
    int64_t next_ns = releases_next_ns(jobs->shared.releases);
    const struct service_job *job;
    int cursor = 0;

    while ((job = jobs_next(jobs, &cursor)))
        next_ns = min_i64(next_ns, service_job_next_ns(job));
    return max_i64(next_ns, jobs->yield_until_ns);
}

void jobs_pause(struct jobs *jobs, bool paused)
{
    struct service_job *job;
    int cursor = 0;

    if (jobs->shared.paused == paused)
        return;
    jobs->shared.paused = paused;
    while ((job = jobs_next(jobs, &cursor))) {
        if (paused)
            service_job_pause(job);
        else
            service_job_continue(job);
    }
    if (jobs->options.store)
        store_pause(jobs->options.store, paused);
    log_tell(LOG_NOTICE, NULL,
             paused ? "paused: nothing is balanced until 'jugglectl resume'" : "balancing again");
    jobs->shares_are_stale = true;
}

bool jobs_are_paused(const struct jobs *jobs)
{
    return jobs->shared.paused;
}

void jobs_keep(struct jobs *jobs)
{
    struct service_job *job;
    int cursor = 0;

    store_pause(jobs->options.store, jobs->shared.paused);
    while ((job = jobs_next(jobs, &cursor)))
        service_job_keep(job);
    jobs->shares_are_stale = true;
}

/* ---- looking ---- */

const char *jobs_fault(const struct jobs *jobs)
{
    return fault_text(&jobs->shared.service_jobs.fault);
}

int jobs_count(const struct jobs *jobs)
{
    return jobs->shared.service_jobs.count;
}

int jobs_looking(const struct jobs *jobs)
{
    const struct service_job *job;
    int cursor = 0, count = 0;

    while ((job = jobs_next(jobs, &cursor)))
        count += service_job_is_looking(job);
    return count;
}

int jobs_leaving(const struct jobs *jobs)
{
    return releases_count(jobs->shared.releases);
}

struct service_job *jobs_next(const struct jobs *jobs, int *cursor)
{
    return entries_next(&jobs->shared.service_jobs, cursor);
}

struct service_job *jobs_find(const struct jobs *jobs, const char *job_name)
{
    struct service_job *job;
    int cursor = 0;

    do
        job = jobs_next(jobs, &cursor);
    while (job && strcmp(service_job_name(job), job_name) != 0);
    return job;
}

/* Returns the user's row, or a new one if there is none. NULL: the table is full. */
static struct jobs_user *user_of(struct jobs_user *users, int *count, uid_t uid)
{
    for (int i = 0; i < *count; i++)
        if (users[i].uid == uid)
            return &users[i];
    if (*count == JOBS_USERS_MAX)
        return NULL;
    users[*count] = (struct jobs_user){.uid = uid};
    return &users[(*count)++];
}

int jobs_users(const struct jobs *jobs, struct jobs_user users[JOBS_USERS_MAX])
{
    const int64_t share_ppm = budget_user_ppm(&jobs->limits.budget, jobs->users_count);
    const struct service_job *job;
    int count = 0, cursor = 0;

    while ((job = jobs_next(jobs, &cursor))) {
        struct jobs_user *user = user_of(users, &count, service_job_uid(job));
        if (!user)
            continue;
        user->jobs_count++;
        user->resting_count += !holding_is_balanced(job);
        user->threads_count += service_job_living(job);
        user->share_ppm = share_ppm;
    }
    for (int i = 0; i < jobs->refused.count; i++) {
        struct jobs_user *user = user_of(users, &count, jobs->refused.entries[i].uid);
        if (user)
            user->refused_count = jobs->refused.entries[i].times;
    }
    return count;
}

struct service_job *jobs_find_process(const struct jobs *jobs, const struct process *process)
{
    struct service_job *job;
    int cursor = 0;

    do
        job = jobs_next(jobs, &cursor);
    while (job && !service_job_has(job, process));
    return job;
}
