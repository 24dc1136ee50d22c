/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fake_jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHARGES_MAX = 4, THREADS = 2, GONE = 7, FOREIGN = 5, USER = 1000 };

struct charge {
    char name[JOB_NAME_SIZE];
    enum job_origin origin;
    struct wish wish;
    struct process process;
};

static struct charge charges[CHARGES_MAX];
static int charges_count;

void fake_jobs_clear(void)
{
    charges_count = 0;
}

bool peer_lives(const struct peer *peer)
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

int jobs_add(struct jobs *jobs, const struct charge_request *request,
             char problem[JOB_PROBLEM_SIZE], struct charge **charge)
{
    char name[JOB_NAME_SIZE];
    const int length = snprintf(name, sizeof(name), "%u/%s", request->process->uid,
                                request->name ? request->name : "unnamed");

    if (length >= (int)sizeof(name) || wish_problem(request->wish))
        abort();
    if ((*charge = jobs_find(jobs, name)))
        return -EEXIST;
    if ((*charge = jobs_find_process(jobs, request->process)))
        return -EBUSY;
    if (charges_count == CHARGES_MAX) {
        snprintf(problem, JOB_PROBLEM_SIZE, "more than %d jobs", CHARGES_MAX);
        return -EUSERS;
    }
    if (*request->wish->cpus) {
        snprintf(problem, JOB_PROBLEM_SIZE, "no such processors: %s", request->wish->cpus);
        return -EINVAL;
    }
    *charge = &charges[charges_count++];
    **charge = (struct charge){
        .origin = request->origin, .wish = *request->wish, .process = *request->process};
    memcpy((*charge)->name, name, sizeof(name));
    return 0;
}

int jobs_adopt(struct jobs *jobs, struct charge *charge, const struct process *process,
               char problem[JOB_PROBLEM_SIZE])
{
    (void)jobs;
    if (charge->process.pid == process->pid)
        return 0;
    snprintf(problem, JOB_PROBLEM_SIZE, "more than one process of a job");
    return -EUSERS;
}

void jobs_release(struct jobs *jobs, struct charge *charge)
{
    (void)jobs;
    *charge = charges[--charges_count];
}

int jobs_leave(struct jobs *jobs, const struct process *process)
{
    struct charge *charge = jobs_find_process(jobs, process);

    if (!charge || charge->origin != ORIGIN_JOIN)
        return -ESRCH;
    jobs_release(jobs, charge);
    return 0;
}

int jobs_period(struct jobs *jobs, struct charge *charge, int64_t period_ns,
                char problem[JOB_PROBLEM_SIZE])
{
    (void)jobs;
    (void)problem;
    if (period_ns && (period_ns < PERIOD_MIN_NS || period_ns > PERIOD_MAX_NS))
        abort();
    charge->wish.period_ns = period_ns;
    return 0;
}

void jobs_pause(struct jobs *jobs, bool paused)
{
    (void)jobs;
    (void)paused;
}

int jobs_count(const struct jobs *jobs)
{
    (void)jobs;
    return charges_count;
}

struct charge *jobs_next(const struct jobs *jobs, int *cursor)
{
    (void)jobs;
    return *cursor < charges_count ? &charges[(*cursor)++] : NULL;
}

struct charge *jobs_find(const struct jobs *jobs, const char *job)
{
    (void)jobs;
    for (int i = 0; i < charges_count; i++)
        if (!strcmp(charges[i].name, job))
            return &charges[i];
    return NULL;
}

struct charge *jobs_find_process(const struct jobs *jobs, const struct process *process)
{
    (void)jobs;
    for (int i = 0; i < charges_count; i++)
        if (process_is(&charges[i].process, process))
            return &charges[i];
    return NULL;
}

const char *charge_job(const struct charge *charge)
{
    return charge->name;
}

uid_t charge_uid(const struct charge *charge)
{
    return charge->process.uid;
}

const struct wish *charge_wish(const struct charge *charge)
{
    return &charge->wish;
}

enum job_origin charge_origin(const struct charge *charge)
{
    return charge->origin;
}

enum charge_state charge_state(const struct charge *charge)
{
    (void)charge;
    return CHARGE_BALANCING;
}

const char *charge_reason(const struct charge *charge)
{
    (void)charge;
    return "";
}

int charge_processes(const struct charge *charge, const struct process **processes)
{
    *processes = &charge->process;
    return 1;
}

int64_t charge_elapsed_ns(const struct charge *charge, int64_t now_ns)
{
    (void)charge;
    return now_ns;
}

void charge_statistics(struct charge *charge, struct job_statistics *statistics)
{
    *statistics = (struct job_statistics){
        .threads_count = THREADS,
        .source = "fake",
        .priority = "none",
        .policy = charge->wish.policy,
        .period_ns = charge->wish.period_ns,
    };
}

/* Threads may be called anything. */
int charge_threads(struct charge *charge, struct job_thread *threads, int threads_max)
{
    for (int i = 0; i < THREADS && i < threads_max; i++) {
        threads[i] = (struct job_thread){.pid = charge->process.pid, .cpu = -1};
        memcpy(threads[i].comm.untrusted, charge->wish.match, COMM_SIZE - 1);
        threads[i].comm.untrusted[0] = (char)0xff;
    }
    return THREADS;
}
