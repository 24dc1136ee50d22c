/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/jobs.h"

#include "juggled/care/crowd.h"
#include "juggled/care/limit.h"
#include "juggled/log.h"
#include "juggled/care/neighborhood.h"
#include "juggled/care/processes.h"
#include "libjuggle/linux/claims.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/wish/wish_json.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of all jobs, in which root is alone. */
enum { ROOTS_PART = 8 };

/* What is due at once takes so long at a stretch; then clients are served for a while. */
#define POLL_PIECE_NS (4 * NSEC_PER_MSEC)
#define POLL_PAUSE_NS (2 * NSEC_PER_MSEC)

struct jobs {
    struct jobs_options options;
    struct jobs_limits limits;
    struct neighborhood neighborhood; /* all of them */
    struct tally refused;             /* jobs and processes, by a limit */
    int polled;                       /* cursor of the polls that there was no time for */
    int64_t pause_ns;                 /* until then others are served */
};

/* ---- create, destroy ---- */

static void destroy(void *charge)
{
    charge_destroy(charge);
}

int jobs_create(const struct jobs_options *options, struct jobs **result)
{
    struct jobs *jobs = calloc(1, sizeof(*jobs));

    if (!jobs)
        return -ENOMEM;
    jobs->options = *options;
    jobs->neighborhood.proc_fd = options->proc_fd;
    jobs->neighborhood.store = options->store;
    jobs->neighborhood.charges = (struct entries){.destroy = destroy};
    jobs->neighborhood.crowd = (struct job_crowd){crowd_count, &jobs->neighborhood.charges};
    const int error = farewells_create(options->store, &jobs->neighborhood.farewells);
    if (error) {
        free(jobs);
        return error;
    }
    *result = jobs;
    return 0;
}

void jobs_destroy(struct jobs *jobs)
{
    if (!jobs)
        return;
    entries_release(&jobs->neighborhood.charges);
    farewells_destroy(jobs->neighborhood.farewells);
    free(jobs);
}

void jobs_sweep(struct jobs *jobs)
{
    if (entries_sweep(&jobs->neighborhood.charges))
        /* Left alone, malloc would keep megabytes of it for as long as the service runs. */
        malloc_trim(0);
}

/* ---- shares and limits ---- */

static bool is_balanced(const struct charge *charge)
{
    return charge_state(charge) != CHARGE_RESTING;
}

/* Jobs of the user that are balanced now. */
static int balanced_count(const struct jobs *jobs, uid_t uid)
{
    const struct charge *charge;
    int cursor = 0, count = 0;

    while ((charge = jobs_next(jobs, &cursor)))
        count += charge_uid(charge) == uid && is_balanced(charge);
    return count;
}

static const struct charge *first_balanced(const struct jobs *jobs, uid_t uid)
{
    const struct charge *charge;
    int cursor = 0;

    do
        charge = jobs_next(jobs, &cursor);
    while (charge && (charge_uid(charge) != uid || !is_balanced(charge)));
    return charge;
}

/* Users who have such jobs: each is counted with the first. */
static int users_count(const struct jobs *jobs)
{
    const struct charge *charge;
    int cursor = 0, count = 0;

    while ((charge = jobs_next(jobs, &cursor)))
        count += charge == first_balanced(jobs, charge_uid(charge));
    return count;
}

/* When another job is balanced, or one is not any more. */
static void shares_renew(struct jobs *jobs)
{
    const struct budget *budget = &jobs->limits.budget;
    const int users = users_count(jobs);
    struct charge *charge;
    int cursor = 0;

    while ((charge = jobs_next(jobs, &cursor))) {
        const int count = balanced_count(jobs, charge_uid(charge));
        charge_limit(charge, budget_turns_ppm(budget, users, count),
                     budget_looks_ppm(budget, users, count));
    }
}

void jobs_limit(struct jobs *jobs, const struct jobs_limits *limits)
{
    jobs->limits = *limits;
    shares_renew(jobs);
}

static int threads_of_user(const struct jobs *jobs, uid_t uid)
{
    const struct charge *charge;
    int cursor = 0, count = 0;

    while ((charge = jobs_next(jobs, &cursor)))
        if (charge_uid(charge) == uid)
            count += charge_living(charge);
    return count;
}

/* A job has room for those that it was asked for, whether they are there yet or not. */
static int threads_asked_of_user(const struct jobs *jobs, uid_t uid)
{
    const struct charge *charge;
    int count = 0, cursor = 0;

    while ((charge = jobs_next(jobs, &cursor))) {
        if (charge_uid(charge) == uid)
            count += (int)max_i64(charge_wish(charge)->threads, charge_living(charge));
    }
    return count;
}

/* The job that was looked at last is the one that has grown. */
static void threads_bound(const struct jobs *jobs, struct charge *charge, int64_t now_ns)
{
    char why[JOB_PROBLEM_SIZE];

    if (threads_of_user(jobs, charge_uid(charge)) <= jobs->limits.threads_per_user)
        return;
    snprintf(why, sizeof(why), "its user has more than %d threads to balance",
             jobs->limits.threads_per_user);
    charge_rest(charge, now_ns, why);
}

/* ---- jobs come, go ---- */

static int jobs_of_user(const struct jobs *jobs, uid_t uid)
{
    const struct charge *charge;
    int cursor = 0, count = 0;

    while ((charge = jobs_next(jobs, &cursor)))
        count += charge_uid(charge) == uid;
    return count;
}

/* Some are kept for root, whom users together must not lock out. */
static int jobs_open_to(const struct jobs *jobs, uid_t uid)
{
    const int jobs_max = jobs->limits.jobs_max;

    return uid == 0 ? jobs_max : jobs_max - jobs_max / ROOTS_PART;
}

/* What stands in the way of a new job, by an older one or by a limit. */
static int admit(struct jobs *jobs, const struct charge_request *request,
                 char problem[JOB_PROBLEM_SIZE], struct charge **charge)
{
    const struct jobs_limits *limits = &jobs->limits;
    const uid_t uid = request->process->uid;
    struct charge *same = jobs_find(jobs, request->name);
    struct charge *holder = jobs_find_process(jobs, request->process);

    if (same || holder) {
        *charge = same ? same : holder;
        return same ? -EEXIST : -EBUSY;
    }
    if (jobs_count(jobs) >= jobs_open_to(jobs, uid))
        limit_tell(jobs_open_to(jobs, uid), uid == 0 ? "jobs" : "jobs of users", "jobs", problem);
    else if (jobs_of_user(jobs, uid) >= limits->jobs_per_user)
        limit_tell(limits->jobs_per_user, "jobs of this user", "jobs-per-user", problem);
    else if (request->wish->threads > limits->threads_per_user - threads_asked_of_user(jobs, uid))
        limit_tell(limits->threads_per_user, "balanced threads of this user", "threads-per-user",
                   problem);
    else
        return 0;
    return -EUSERS;
}

static int charge_make(struct jobs *jobs, const struct charge_request *request, char *problem,
                       struct charge **result)
{
    struct charge *charge = NULL;
    int error = charge_create(&jobs->neighborhood, request, problem, &charge);

    if (!error)
        error = entries_add(&jobs->neighborhood.charges, charge);
    if (error)
        goto fail;
    shares_renew(jobs);
    *result = charge;
    return 0;

fail:
    if (error == -ENOMEM)
        snprintf(problem, JOB_PROBLEM_SIZE, "%s", strerror(ENOMEM));
    charge_destroy(charge);
    return error;
}

int jobs_add(struct jobs *jobs, const struct charge_request *request,
             char problem[JOB_PROBLEM_SIZE], struct charge **charge)
{
    struct charge_request named = *request;
    char name[JOB_NAME_SIZE];

    if (request->name)
        snprintf(name, sizeof(name), "%u/%s", (unsigned)request->process->uid, request->name);
    else
        snprintf(name, sizeof(name), "%u/%d", (unsigned)request->process->uid,
                 (int)request->process->pid);
    named.name = name;
    int error = admit(jobs, &named, problem, charge);
    if (error == -EUSERS)
        tally_add(&jobs->refused, request->process->uid);
    if (!error)
        error = charge_make(jobs, &named, problem, charge);
    if (error)
        return error;
    charge_record(*charge);
    log_tell(LOG_INFO, name, "taken in charge (%s), beginning with process %d",
             job_origin_name(request->origin), (int)request->process->pid);
    return 0;
}

int jobs_adopt(struct jobs *jobs, struct charge *charge, const struct process *process,
               char problem[JOB_PROBLEM_SIZE])
{
    const struct charge *holder = jobs_find_process(jobs, process);

    if (holder && holder != charge)
        return -EBUSY;
    int error = charge_adopt(charge, process);
    if (error == -EALREADY)
        claims_explain(jobs->neighborhood.proc_fd, process->pid, problem, JOB_PROBLEM_SIZE);
    if (error != -ENOSPC)
        return error;
    tally_add(&jobs->refused, process->uid);
    snprintf(problem, JOB_PROBLEM_SIZE, "more than %d processes of one job", PROCESSES_MAX);
    return -EUSERS;
}

static void jobs_drop(struct jobs *jobs, struct charge *charge, const char *why)
{
    charge_end(charge);
    if (jobs->options.ended)
        jobs->options.ended(jobs->options.context, charge);
    charge_forget(charge);
    log_tell(LOG_INFO, charge_job(charge), "%s", why);
    entries_drop(&jobs->neighborhood.charges, charge);
    shares_renew(jobs);
}

void jobs_release(struct jobs *jobs, struct charge *charge)
{
    jobs_drop(jobs, charge, "released");
}

int jobs_leave(struct jobs *jobs, const struct process *process)
{
    struct charge *charge = jobs_find_process(jobs, process);

    if (!charge || charge_origin(charge) != ORIGIN_JOIN)
        return -ESRCH;
    if (!charge_leave(charge, process))
        jobs_drop(jobs, charge, "all have left");
    return 0;
}

int jobs_period(struct jobs *jobs, struct charge *charge, int64_t period_ns,
                char problem[JOB_PROBLEM_SIZE])
{
    int error = charge_period(charge, period_ns, problem);

    shares_renew(jobs);
    return error;
}

/* ---- what is due ---- */

static void poll_one(struct jobs *jobs, struct charge *charge, int64_t now_ns)
{
    const bool was_balanced = is_balanced(charge);

    if (!charge_poll(charge, now_ns)) {
        jobs_drop(jobs, charge, "has ended");
        return;
    }
    if (is_balanced(charge))
        threads_bound(jobs, charge, now_ns);
    if (is_balanced(charge) != was_balanced)
        shares_renew(jobs);
}

/* So many as there is time for, and the others next time. */
static void poll_some(struct jobs *jobs, int64_t now_ns)
{
    struct charge *charge;

    while ((charge = jobs_next(jobs, &jobs->polled))) {
        if (charge_next_ns(charge) > now_ns)
            continue;
        poll_one(jobs, charge, now_ns);
        if (clock_now_ns() - now_ns >= POLL_PIECE_NS)
            return;
    }
    jobs->polled = 0;
}

void jobs_poll(struct jobs *jobs, int64_t now_ns)
{
    if (jobs->pause_ns > now_ns)
        return;
    farewells_poll(jobs->neighborhood.farewells, now_ns);
    poll_some(jobs, now_ns);
    const int64_t ended_ns = clock_now_ns();
    if (ended_ns - now_ns >= POLL_PIECE_NS)
        jobs->pause_ns = ended_ns + POLL_PAUSE_NS;
}

int64_t jobs_next_ns(const struct jobs *jobs)
{
    int64_t next_ns = farewells_next_ns(jobs->neighborhood.farewells);
    const struct charge *charge;
    int cursor = 0;

    while ((charge = jobs_next(jobs, &cursor)))
        next_ns = min_i64(next_ns, charge_next_ns(charge));
    return max_i64(next_ns, jobs->pause_ns);
}

void jobs_pause(struct jobs *jobs, bool paused)
{
    struct charge *charge;
    int cursor = 0;

    if (jobs->neighborhood.paused == paused)
        return;
    jobs->neighborhood.paused = paused;
    while ((charge = jobs_next(jobs, &cursor))) {
        if (paused)
            charge_pause(charge);
        else
            charge_continue(charge);
    }
    if (jobs->options.store)
        store_pause(jobs->options.store, paused);
    log_tell(LOG_NOTICE, NULL,
             paused ? "paused: nothing is balanced until 'jugglectl resume'" : "balancing again");
    shares_renew(jobs);
}

bool jobs_are_paused(const struct jobs *jobs)
{
    return jobs->neighborhood.paused;
}

void jobs_keep(struct jobs *jobs)
{
    struct charge *charge;
    int cursor = 0;

    if (jobs->neighborhood.paused)
        store_pause(jobs->options.store, true);
    while ((charge = jobs_next(jobs, &cursor)))
        charge_keep(charge);
    shares_renew(jobs);
}

/* ---- looking ---- */

int jobs_count(const struct jobs *jobs)
{
    return jobs->neighborhood.charges.count;
}

int jobs_looking(const struct jobs *jobs)
{
    const struct charge *charge;
    int cursor = 0, count = 0;

    while ((charge = jobs_next(jobs, &cursor)))
        count += charge_is_looking(charge);
    return count;
}

int jobs_leaving(const struct jobs *jobs)
{
    return farewells_count(jobs->neighborhood.farewells);
}

struct charge *jobs_next(const struct jobs *jobs, int *cursor)
{
    return entries_next(&jobs->neighborhood.charges, cursor);
}

struct charge *jobs_find(const struct jobs *jobs, const char *job)
{
    struct charge *charge;
    int cursor = 0;

    do
        charge = jobs_next(jobs, &cursor);
    while (charge && strcmp(charge_job(charge), job) != 0);
    return charge;
}

/* Of whom nothing is known yet when there is room for him. */
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
    const int64_t share_ppm = budget_user_ppm(&jobs->limits.budget, users_count(jobs));
    const struct charge *charge;
    int count = 0, cursor = 0;

    while ((charge = jobs_next(jobs, &cursor))) {
        struct jobs_user *user = user_of(users, &count, charge_uid(charge));
        if (!user)
            continue;
        user->jobs_count++;
        user->resting_count += !is_balanced(charge);
        user->threads_count += charge_living(charge);
        user->share_ppm = share_ppm;
    }
    for (int i = 0; i < jobs->refused.count; i++) {
        struct jobs_user *user = user_of(users, &count, jobs->refused.entries[i].uid);
        if (user)
            user->refused_count = jobs->refused.entries[i].times;
    }
    return count;
}

struct charge *jobs_find_process(const struct jobs *jobs, const struct process *process)
{
    struct charge *charge;
    int cursor = 0;

    do
        charge = jobs_next(jobs, &cursor);
    while (charge && !charge_has(charge, process));
    return charge;
}
