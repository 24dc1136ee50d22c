/* SPDX-License-Identifier: BSD-3-Clause */
#include "juggled/care/service_job_parts.h"

#include "juggled/care/record.h"
#include "juggled/log.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The interval of trying to balance a large program again that was released. */
#define AWAIT_INTERVAL_NS (50 * NSEC_PER_MSEC)
/* To check whether a process has ended takes 10 us. While processes join, these checks take a
 * tenth of the time at most. */
#define PRUNE_INTERVAL_NS (100 * NSEC_PER_USEC)

/* ---- balancing ---- */

void service_job_hold(struct service_job *job)
{
    job->resume_ns = INT64_MAX;
    job->change_ns = clock_now_ns() + CHANGE_INTERVAL_NS;
    snprintf(job->reason, sizeof(job->reason), "%s", "the service is paused");
}

/* Waits until an earlier job has given its threads their masks back. */
static void service_job_await(struct service_job *job)
{
    job->resume_ns = clock_now_ns() + AWAIT_INTERVAL_NS;
    job->change_ns = INT64_MAX;
    snprintf(job->reason, sizeof(job->reason), "%s", "its masks are being given back");
}

int service_job_begin(struct service_job *job, char problem[JOB_PROBLEM_SIZE])
{
    if (job->shared->paused) {
        service_job_hold(job);
        return 0;
    }
    const struct balancing_subject subject = {&job->wish, job->uid, &job->processes};
    int error = balancing_begin(&job->balancing, &subject, problem);
    if (error == -EINPROGRESS) {
        service_job_await(job);
        return 0;
    }
    if (!error)
        job_limit(job->balancing.job, job->turns_ppm);
    job->judge_ns = job->balancing.gather_ns + WORTH_JUDGE_NS;
    return error;
}

/* ---- create, destroy ---- */

int service_job_create(const struct jobs_shared *shared, const struct service_job_request *request,
                       char problem[JOB_PROBLEM_SIZE], struct service_job **result)
{
    struct service_job *job = calloc(1, sizeof(*job));

    if (!job)
        return -ENOMEM;
    snprintf(job->name, sizeof(job->name), "%s", request->name);
    job->shared = shared;
    job->uid = request->process->uid;
    job->origin = request->origin;
    job->resuming = request->resuming;
    job->wish = job->asked = *request->wish;
    job->started_ns = clock_now_ns();
    job->rest_ns = REST_MIN_NS;
    job->turns_ppm = 1; /* until service_job_limit */
    job->looks_ppm = SHARE_ALL_PPM;
    job->balancing = (struct balancing){.name = job->name, .shared = shared};
    int error = processes_add(&job->processes, request->process);
    if (!error)
        error = service_job_begin(job, problem);
    if (error)
        service_job_destroy(job);
    else
        *result = job;
    return error;
}

void service_job_end(struct service_job *job)
{
    balancing_end(&job->balancing);
}

void service_job_destroy(struct service_job *job)
{
    if (!job)
        return;
    balancing_free(&job->balancing);
    trial_drop(&job->trial, &job->worth);
    free(job);
}

/* ---- in the store ---- */

bool service_job_is_recorded(const struct service_job *job)
{
    return job->shared->store && job->origin != ORIGIN_RULE && !job->resuming;
}

void service_job_record(struct service_job *job)
{
    struct store *store = job->shared->store;

    if (!service_job_is_recorded(job))
        return;
    json_t *json = record_to_json(job->name, job->origin, &job->wish, &job->processes);
    int error = json ? store_record(store, job->name, json) : -ENOMEM;
    if (error && !job->unrecorded)
        log_tell(LOG_WARNING, job->name,
                 "cannot be recorded; a restart of the service will forget its present state: %s",
                 strerror(-error));
    job->unrecorded = error;
    json_decref(json);
}

void service_job_resumed(struct service_job *job)
{
    job->resuming = false;
    service_job_record(job);
}

void service_job_forget(const struct service_job *job)
{
    if (job->shared->store)
        store_forget(job->shared->store, job->name);
}

/* ---- processes come, go ---- */

void service_job_prune(struct service_job *job)
{
    processes_prune(&job->processes, job->shared->proc_fd);
}

bool service_job_has(struct service_job *job, const struct process *process)
{
    return processes_find(&job->processes, process);
}

int service_job_adopt(struct service_job *job, const struct process *process)
{
    struct process *known = processes_find(&job->processes, process);
    const int64_t now_ns = clock_now_ns();

    if (known) {
        known->joins++;
        return 0;
    }
    if (now_ns - job->pruned_ns >= job->processes.count * PRUNE_INTERVAL_NS) {
        service_job_prune(job);
        job->pruned_ns = now_ns;
    }
    if (job->processes.count == PROCESSES_MAX)
        return -ENOSPC;
    int error = balancing_adopt(&job->balancing, process);
    if (!error)
        error = processes_add(&job->processes, process);
    if (!error)
        service_job_record(job);
    return error;
}

bool service_job_leave(struct service_job *job, const struct process *process)
{
    struct process *known = processes_find(&job->processes, process);

    if (--known->joins > 0)
        return true;
    processes_drop(&job->processes, known);
    const int error = balancing_disown(&job->balancing, process->pid);
    if (!job->processes.count || error == -ESRCH)
        return false;
    service_job_record(job);
    return true;
}

void service_job_limit(struct service_job *job, int turns_ppm, int looks_ppm)
{
    if (turns_ppm > job->turns_ppm)
        worth_forget_costs(&job->worth);
    job->turns_ppm = turns_ppm;
    job->looks_ppm = looks_ppm;
    if (job->balancing.job)
        job_limit(job->balancing.job, turns_ppm);
}

/* ---- looking ---- */

const char *service_job_name(const struct service_job *job)
{
    return job->name;
}

uid_t service_job_uid(const struct service_job *job)
{
    return job->uid;
}

enum job_origin service_job_origin(const struct service_job *job)
{
    return job->origin;
}

enum service_job_state service_job_state(const struct service_job *job)
{
    if (!job->balancing.job)
        return SERVICE_JOB_RESTING;
    return job->balancing.distributed ? SERVICE_JOB_BALANCING : SERVICE_JOB_GATHERING;
}

const char *service_job_reason(const struct service_job *job)
{
    return job->balancing.job ? "" : job->reason;
}

const struct wish *service_job_wish(const struct service_job *job)
{
    return &job->asked;
}

int service_job_processes(const struct service_job *job, const struct process **processes)
{
    *processes = job->processes.list;
    return job->processes.count;
}

int64_t service_job_elapsed_ns(const struct service_job *job, int64_t now_ns)
{
    return now_ns - job->started_ns;
}

bool service_job_is_looking(const struct service_job *job)
{
    return job->looking && job->balancing.job;
}

int service_job_living(const struct service_job *job)
{
    return job->living;
}

void service_job_statistics(struct service_job *job, struct job_statistics *statistics)
{
    balancing_statistics(&job->balancing, statistics);
    /* A period that was set while the job rests holds from the next balancing on. */
    if (!job->balancing.job && job->wish.period_ns)
        statistics->period_ns = job->wish.period_ns;
}

struct job_thread *service_job_threads(const struct service_job *job, int *count)
{
    return balancing_threads(&job->balancing, count);
}

struct usage_quota service_job_quota(const struct service_job *job)
{
    const struct jobs_shared *shared = job->shared;
    struct cgroup group;
    char first[16];

    if (!job->processes.count || shared->sys_fd < 0)
        return (struct usage_quota){0};
    snprintf(first, sizeof(first), "%d", (int)job->processes.list[0].pid);
    if (cgroup_find_mounted(shared->proc_fd, first, &shared->mounts, &group))
        return (struct usage_quota){0};
    return usage_quota_read(shared->sys_fd, &group);
}
