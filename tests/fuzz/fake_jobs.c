/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fake_jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERVICE_JOBS_MAX = 4, THREADS = 2, GONE = 7, FOREIGN = 5, USER = 1000 };

struct service_job {
    char name[JOB_NAME_SIZE];
    enum job_origin origin;
    struct wish wish;
    struct process process;
};

static struct service_job service_jobs[SERVICE_JOBS_MAX];
static int service_jobs_count;

void fake_jobs_clear(void)
{
    service_jobs_count = 0;
}

bool credentials_process_lives(const struct credentials *peer)
{
    (void)peer;
    return true;
}

int process_identify(int proc_fd, pid_t pid, struct process *process)
{
    (void)proc_fd;
    if (pid <= 0)
        abort();
    if (pid % GONE == 0)
        return -ESRCH;
    *process = (struct process){
        .pid = pid,
        .start_ticks = 1,
        .uid = USER + (uid_t)pid % 2,
        .foreign = pid % FOREIGN == 0,
    };
    return 0;
}

int process_capabilities(int proc_fd, const struct process *process, uint64_t *capabilities)
{
    (void)proc_fd;
    *capabilities = process->permitted;
    return 0;
}

int jobs_add(struct jobs *jobs, const struct service_job_request *request,
             char problem[JOB_PROBLEM_SIZE], struct service_job **job)
{
    char name[JOB_NAME_SIZE];
    const int length = snprintf(name, sizeof(name), "%u/%s", request->process->uid,
                                request->name ? request->name : "unnamed");

    if (length >= (int)sizeof(name) || wish_problem(request->wish))
        abort();
    if ((*job = jobs_find(jobs, name)))
        return -EEXIST;
    if ((*job = jobs_find_process(jobs, request->process)))
        return -EBUSY;
    if (service_jobs_count == SERVICE_JOBS_MAX) {
        snprintf(problem, JOB_PROBLEM_SIZE, "more than %d jobs", SERVICE_JOBS_MAX);
        return -EUSERS;
    }
    if (*request->wish->cpus) {
        snprintf(problem, JOB_PROBLEM_SIZE, "no such processors: %s", request->wish->cpus);
        return -EINVAL;
    }
    *job = &service_jobs[service_jobs_count++];
    **job = (struct service_job){
        .origin = request->origin, .wish = *request->wish, .process = *request->process};
    memcpy((*job)->name, name, sizeof(name));
    return 0;
}

int jobs_adopt(struct jobs *jobs, struct service_job *job, const struct process *process,
               char problem[JOB_PROBLEM_SIZE])
{
    (void)jobs;
    if (job->process.pid == process->pid)
        return 0;
    snprintf(problem, JOB_PROBLEM_SIZE, "more than one process of a job");
    return -EUSERS;
}

void jobs_release(struct jobs *jobs, struct service_job *job)
{
    (void)jobs;
    *job = service_jobs[--service_jobs_count];
}

int jobs_leave(struct jobs *jobs, const struct process *process)
{
    struct service_job *job = jobs_find_process(jobs, process);

    if (!job || job->origin != ORIGIN_JOIN)
        return -ESRCH;
    jobs_release(jobs, job);
    return 0;
}

int jobs_period(struct jobs *jobs, struct service_job *job, int64_t period_ns,
                char problem[JOB_PROBLEM_SIZE])
{
    (void)jobs;
    (void)problem;
    if (period_ns && (period_ns < PERIOD_MIN_NS || period_ns > PERIOD_MAX_NS))
        abort();
    job->wish.period_ns = period_ns;
    return 0;
}

void jobs_pause(struct jobs *jobs, bool paused)
{
    (void)jobs;
    (void)paused;
}

struct usage_quota service_job_quota(const struct service_job *job)
{
    (void)job;
    return (struct usage_quota){0};
}

int jobs_count(const struct jobs *jobs)
{
    (void)jobs;
    return service_jobs_count;
}

struct service_job *jobs_next(const struct jobs *jobs, int *cursor)
{
    (void)jobs;
    return *cursor < service_jobs_count ? &service_jobs[(*cursor)++] : NULL;
}

struct service_job *jobs_find(const struct jobs *jobs, const char *job_name)
{
    (void)jobs;
    for (int i = 0; i < service_jobs_count; i++)
        if (!strcmp(service_jobs[i].name, job_name))
            return &service_jobs[i];
    return NULL;
}

struct service_job *jobs_find_process(const struct jobs *jobs, const struct process *process)
{
    (void)jobs;
    for (int i = 0; i < service_jobs_count; i++)
        if (process_is(&service_jobs[i].process, process))
            return &service_jobs[i];
    return NULL;
}

const char *service_job_name(const struct service_job *job)
{
    return job->name;
}

uid_t service_job_uid(const struct service_job *job)
{
    return job->process.uid;
}

const struct wish *service_job_wish(const struct service_job *job)
{
    return &job->wish;
}

enum job_origin service_job_origin(const struct service_job *job)
{
    return job->origin;
}

enum service_job_state service_job_state(const struct service_job *job)
{
    (void)job;
    return SERVICE_JOB_BALANCING;
}

const char *service_job_reason(const struct service_job *job)
{
    (void)job;
    return "";
}

int service_job_processes(const struct service_job *job, const struct process **processes)
{
    *processes = &job->process;
    return 1;
}

int64_t service_job_elapsed_ns(const struct service_job *job, int64_t now_ns)
{
    (void)job;
    return now_ns;
}

void service_job_statistics(struct service_job *job, struct job_statistics *statistics)
{
    *statistics = (struct job_statistics){
        .threads_count = THREADS,
        .source = "fake",
        .priority = "none",
        .policy = job->wish.policy,
        .period_ns = job->wish.period_ns,
    };
}

/* Threads may have any name. */
struct job_thread *service_job_threads(const struct service_job *job, int *count)
{
    struct job_thread *threads = calloc(THREADS, sizeof(*threads));

    *count = threads ? THREADS : 0;
    for (int i = 0; i < *count; i++) {
        threads[i] = (struct job_thread){.pid = job->process.pid, .cpu = -1};
        memcpy(threads[i].comm.untrusted, job->wish.match, COMM_SIZE - 1);
        threads[i].comm.untrusted[0] = (char)0xff;
    }
    return threads;
}
