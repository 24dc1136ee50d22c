/* SPDX-License-Identifier: BSD-3-Clause */
/* Great numbers of processes that come to one job: a user whose processes match a rule may start
 * any number. */
#include "tests/lib/suite.h"

#include "juggled/care/processes.h"
#include "juggled/care/service_job.h"
#include "juggled/care/jobs_shared.h"

#include <errno.h>
#include <time.h>

enum { COMERS = 3000 };

static int looks_count;
static pid_t ended_below;
static int64_t now_ns = NSEC_PER_SEC;

int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = (struct timespec){now_ns / NSEC_PER_SEC, now_ns % NSEC_PER_SEC};
    return 0;
}

int process_open(int proc_fd, const struct process *process, int *pidfd)
{
    (void)proc_fd;
    looks_count++;
    *pidfd = -1;
    return process->pid < ended_below ? -ESRCH : 0;
}

bool process_ended(int pidfd)
{
    return pidfd >= 0;
}

/* Functions that have nothing to do in this test. */

long process_threads(int proc_fd, const struct process *process)
{
    return proc_fd + process->pid;
}

json_t *process_to_json(const struct process *process)
{
    return json_integer(process->pid);
}

static struct process process_of(int number)
{
    return (struct process){.pid = 100 + number, .start_ticks = 1};
}

static struct service_job *job_of_the_first(const struct jobs_shared *shared)
{
    const struct process first = process_of(0);
    char problem[JOB_PROBLEM_SIZE];
    struct service_job *job;
    struct wish wish;

    wish_init(&wish);
    const struct service_job_request request = {
        .origin = ORIGIN_RULE, .name = "0/a", .process = &first, .wish = &wish};
    ck_assert_int_eq(service_job_create(shared, &request, problem, &job), 0);
    return job;
}

/* If each process that comes caused a look at all others, that would take seconds in which no
 * client is answered. */
START_TEST(many_that_come_at_once_are_not_looked_at_once_each)
{
    const struct jobs_shared shared = {.proc_fd = -1, .sys_fd = -1, .paused = true};
    struct service_job *job = job_of_the_first(&shared);

    for (int i = 1; i < COMERS; i++) {
        const struct process process = process_of(i);
        ck_assert_int_eq(service_job_adopt(job, &process), i < PROCESSES_MAX ? 0 : -ENOSPC);
    }
    ck_assert_int_le(looks_count, COMERS);

    /* A process that has ended makes room before long. */
    const struct process last = process_of(COMERS);
    ended_below = process_of(10).pid;
    now_ns += NSEC_PER_SEC;
    ck_assert_int_eq(service_job_adopt(job, &last), 0);
    const struct process *processes;
    ck_assert_int_eq(service_job_processes(job, &processes), PROCESSES_MAX - 10 + 1);
    service_job_destroy(job);
}

SUITE("adoption")
