/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggle/service/jobs.h"

#include "juggle/service/limit.h"
#include "juggle/service/log.h"
#include "juggle/service/neighborhood.h"
#include "juggle/service/processes.h"
#include "libjuggle/wish/wish_json.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct jobs {
    struct jobs_options options;
    struct jobs_limits limits;
    struct neighborhood neighborhood; /* all of them */
    int room;
};

/* ---- create, destroy ---- */

int jobs_create(const struct jobs_options *options, struct jobs **result)
{
    struct jobs *jobs = calloc(1, sizeof(*jobs));

    if (!jobs)
        return -ENOMEM;
    jobs->options = *options;
    jobs->neighborhood.proc_fd = options->proc_fd;
    jobs->neighborhood.store = options->store;
    *result = jobs;
    return 0;
}

void jobs_destroy(struct jobs *jobs)
{
    if (!jobs)
        return;
    for (int i = 0; i < jobs->neighborhood.count; i++)
        charge_destroy(jobs->neighborhood.charges[i]);
    free(jobs->neighborhood.charges);
    free(jobs);
}

/* ---- shares and limits ---- */

static bool is_balanced(const struct charge *charge)
{
    return charge_state(charge) != CHARGE_RESTING;
}

/* Jobs of the user that are balanced now. */
static int balanced_count(const struct jobs *jobs, uid_t uid)
{
    int count = 0;

    for (int i = 0; i < jobs->neighborhood.count; i++) {
        const struct charge *charge = jobs->neighborhood.charges[i];
        count += charge_uid(charge) == uid && is_balanced(charge);
    }
    return count;
}

/* Users who have such jobs: each is counted with the first. */
static int users_count(const struct jobs *jobs)
{
    int count = 0;

    for (int i = 0; i < jobs->neighborhood.count; i++) {
        const struct charge *charge = jobs->neighborhood.charges[i];
        int first = 0;
        if (!is_balanced(charge))
            continue;
        while (charge_uid(jobs->neighborhood.charges[first]) != charge_uid(charge) ||
               !is_balanced(jobs->neighborhood.charges[first]))
            first++;
        count += first == i;
    }
    return count;
}

/* When another job is balanced, or one is not any more. */
static void shares_renew(struct jobs *jobs)
{
    const struct budget *budget = &jobs->limits.budget;
    const int users = users_count(jobs);

    for (int i = 0; i < jobs->neighborhood.count; i++) {
        struct charge *charge = jobs->neighborhood.charges[i];
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
    int count = 0;

    for (int i = 0; i < jobs->neighborhood.count; i++)
        if (charge_uid(jobs->neighborhood.charges[i]) == uid)
            count += charge_living(jobs->neighborhood.charges[i]);
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

static int list_add(struct jobs *jobs, struct charge *charge)
{
    struct neighborhood *neighborhood = &jobs->neighborhood;

    if (neighborhood->count == jobs->room) {
        const int room = jobs->room ? 2 * jobs->room : 16;
        struct charge **charges = realloc(neighborhood->charges,
                                          (size_t)room * sizeof(struct charge *));
        if (!charges)
            return -ENOMEM;
        neighborhood->charges = charges;
        jobs->room = room;
    }
    neighborhood->charges[neighborhood->count++] = charge;
    return 0;
}

static void list_drop(struct jobs *jobs, const struct charge *charge)
{
    struct neighborhood *neighborhood = &jobs->neighborhood;
    int i = 0;

    while (neighborhood->charges[i] != charge)
        i++;
    neighborhood->charges[i] = neighborhood->charges[--neighborhood->count];
}

static int jobs_of_user(const struct jobs *jobs, uid_t uid)
{
    int count = 0;

    for (int i = 0; i < jobs->neighborhood.count; i++)
        count += charge_uid(jobs->neighborhood.charges[i]) == uid;
    return count;
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
    if (jobs->neighborhood.count >= limits->jobs_max)
        limit_tell(limits->jobs_max, "jobs", "jobs", problem);
    else if (jobs_of_user(jobs, uid) >= limits->jobs_per_user)
        limit_tell(limits->jobs_per_user, "jobs of this user", "jobs-per-user", problem);
    else if (request->wish->threads > limits->threads_per_user - threads_of_user(jobs, uid))
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
        error = list_add(jobs, charge);
    if (error)
        goto fail;
    shares_renew(jobs);
    *result = charge;
    return 0;

fail:
    if (error == -ENOMEM)
        snprintf(problem, JOB_PROBLEM_SIZE, "%s", strerror(ENOMEM));
    if (charge)
        charge_forget(charge);
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
    if (error != -ENOSPC)
        return error;
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
    list_drop(jobs, charge);
    charge_destroy(charge);
    /* Left alone, malloc would keep megabytes of it for as long as the service runs. */
    malloc_trim(0);
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

void jobs_poll(struct jobs *jobs, int64_t now_ns)
{
    /* From the last on: a job that ends is replaced by the last one, which was polled already. */
    for (int i = jobs->neighborhood.count - 1; i >= 0; i--)
        if (charge_next_ns(jobs->neighborhood.charges[i]) <= now_ns)
            poll_one(jobs, jobs->neighborhood.charges[i], now_ns);
}

int64_t jobs_next_ns(const struct jobs *jobs)
{
    int64_t next_ns = INT64_MAX;

    for (int i = 0; i < jobs->neighborhood.count; i++)
        next_ns = min_i64(next_ns, charge_next_ns(jobs->neighborhood.charges[i]));
    return next_ns;
}

void jobs_keep(struct jobs *jobs)
{
    for (int i = 0; i < jobs->neighborhood.count; i++)
        charge_keep(jobs->neighborhood.charges[i]);
    shares_renew(jobs);
}

/* ---- resuming ---- */

/* Still the same user's, who might have changed since. */
static bool resume_process(const struct jobs *jobs, const json_t *json, uid_t uid,
                           struct process *process)
{
    return process_from_json(jobs->neighborhood.proc_fd, json, process) == 0 &&
           process->uid == uid && !process->foreign;
}

static bool resume_record(struct jobs *jobs, const json_t *json)
{
    const char *job = json_string_value(json_object_get(json, "job"));
    const json_t *processes = json_object_get(json, "processes");
    const char *slash = job ? strchr(job, '/') : NULL;
    struct charge *charge = NULL;
    char problem[JOB_PROBLEM_SIZE];
    struct process process;
    const char *field;
    struct wish wish;
    size_t i;
    json_t *entry;

    if (!slash || wish_from_json(json_object_get(json, "settings"), &wish, &field))
        return false;
    const uid_t uid = (uid_t)strtoul(job, NULL, 10);
    const enum job_origin origin = (enum job_origin)json_integer_value(
        json_object_get(json, "origin"));
    const struct charge_request request = {origin, slash + 1, &process, &wish};
    json_array_foreach(processes, i, entry)
    {
        if (!resume_process(jobs, entry, uid, &process))
            continue;
        if (charge)
            (void)!jobs_adopt(jobs, charge, &process, problem);
        else if (jobs_add(jobs, &request, problem, &charge))
            charge = NULL;
    }
    return charge != NULL;
}

int jobs_resume(struct jobs *jobs)
{
    json_t *records = jobs->neighborhood.store ? store_records(jobs->neighborhood.store) : NULL;
    int resumed = 0;
    size_t i;
    json_t *json;

    json_array_foreach(records, i, json) resumed += resume_record(jobs, json);
    json_decref(records);
    return resumed;
}

/* ---- looking ---- */

int jobs_count(const struct jobs *jobs)
{
    return jobs->neighborhood.count;
}

struct charge *jobs_at(const struct jobs *jobs, int index)
{
    return jobs->neighborhood.charges[index];
}

struct charge *jobs_find(const struct jobs *jobs, const char *job)
{
    for (int i = 0; i < jobs->neighborhood.count; i++)
        if (!strcmp(charge_job(jobs->neighborhood.charges[i]), job))
            return jobs->neighborhood.charges[i];
    return NULL;
}

struct charge *jobs_find_process(const struct jobs *jobs, const struct process *process)
{
    for (int i = 0; i < jobs->neighborhood.count; i++)
        if (charge_has(jobs->neighborhood.charges[i], process))
            return jobs->neighborhood.charges[i];
    return NULL;
}
