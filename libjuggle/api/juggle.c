/* SPDX-License-Identifier: BSD-3-Clause */
/* Interleaving. The keeper, a thread of the balancer, polls the job. It holds `lock` while it
 * polls; every other thread that uses the job holds it, too. The bell, an eventfd, wakes the keeper
 * so that it ends: `stopping` is written before the bell is rung and read after the bell was heard.
 * A thread in juggle_stop() takes `ending` before `lock` and holds it until the balancer has
 * stopped, so that no other call of juggle_stop() returns earlier.
 *
 * The parts, in this order:
 * - create, destroy
 * - start, stop: the keeper
 * - views: statistics and threads
 * - what threads report: that they wait, and what they have done */
#include "libjuggle/juggle.h"

#include "libjuggle/job/job.h"
#include "libjuggle/linux/await.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/api/options.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

struct juggle {
    pthread_mutex_t ending, lock;
    struct job *job;
    bool started; /* was started, perhaps stopped since */
    bool running; /* the keeper runs and is to be joined */
    _Atomic bool stopping;
    int bell_fd;
    pid_t owner; /* the process that created it: a forked child has the memory, but neither keeper
                    nor balancers */
    pthread_t keeper;
    int64_t started_ns, elapsed_ns;
};

struct juggle_thread {
    pid_t owner;       /* the process that created it: forked children share the seat */
    struct page *page; /* of a balancer in another process; NULL if the balancer is in this one */
    struct seat *seat;
};

/* ---- create, destroy ---- */

/* False in a forked child. A child shares the bell, and ringing it would keep the owner's keeper
 * awake. Its copy of the lock may be held by a thread that does not exist in the child. */
static bool owned(const struct juggle *juggle)
{
    return juggle->owner == getpid();
}

static int balancer_create(const struct job_options *options, struct juggle_error *error,
                           struct juggle **result)
{
    struct juggle *juggle = calloc(1, sizeof(*juggle));
    char problem[JOB_PROBLEM_SIZE];

    if (!juggle)
        return options_refuse(error, -ENOMEM, strerror(ENOMEM));
    int failed = 0;
    juggle->owner = getpid();
    juggle->bell_fd = eventfd(0, EFD_CLOEXEC);
    if (juggle->bell_fd < 0)
        failed = options_refuse(error, -errno, strerror(errno));
    if (!failed) {
        failed = job_create(options, problem, &juggle->job);
        if (failed)
            options_refuse(error, failed, problem);
    }
    if (failed) {
        if (juggle->bell_fd >= 0)
            close(juggle->bell_fd);
        free(juggle);
        return failed;
    }
    pthread_mutex_init(&juggle->ending, NULL);
    pthread_mutex_init(&juggle->lock, NULL);
    *result = juggle;
    return 0;
}

int juggle_create(pid_t pid, const struct juggle_options *options, struct juggle **juggle,
                  struct juggle_error *error)
{
    const struct juggle_options defaults = {.size = sizeof(defaults)};
    const pid_t root = pid ? pid : getpid();
    struct juggle_error unread;
    struct wish wish;

    if (!error)
        error = &unread;
    if (!juggle)
        return options_refuse(error, -EINVAL, "the argument `juggle` must not be NULL");
    if (pid < 0)
        return options_refuse(error, -EINVAL, "the argument `pid` must not be negative");
    if (kill(root, 0) && errno == ESRCH)
        return options_refuse(error, -ESRCH, "there is no process with this pid");
    int failed = options_convert(options ? options : &defaults, &wish, error);
    if (failed)
        return failed;
    struct job_options job = {.roots = &root, .roots_count = 1, .roots_included = true};
    wish_apply(&wish, &job);
    /* The caller knows when its threads wait and can say so (juggle_wait_begin). */
    job.spin = SPIN_NEVER;
    return balancer_create(&job, error, juggle);
}

void juggle_destroy(struct juggle *juggle)
{
    if (!juggle || !owned(juggle))
        return;
    juggle_stop(juggle);
    job_destroy(juggle->job);
    close(juggle->bell_fd);
    pthread_mutex_destroy(&juggle->lock);
    pthread_mutex_destroy(&juggle->ending);
    free(juggle);
}

/* ---- start, stop ---- */

static void keeper_sleep(struct juggle *juggle, int64_t due_ns)
{
    struct pollfd fds[] = {
        {.fd = juggle->bell_fd, .events = POLLIN},
        {.fd = job_fd(juggle->job), .events = POLLIN},
    };

    await_until(fds, ARRAY_COUNT(fds), due_ns);
}

static void *keeper_main(void *argument)
{
    struct juggle *juggle = argument;
    int64_t due_ns = 0;
    int error = 0;

    prctl(PR_SET_NAME, "juggle-keeper");
    while (!job_is_over(error) && !juggle->stopping) {
        keeper_sleep(juggle, due_ns);
        pthread_mutex_lock(&juggle->lock);
        error = job_poll(juggle->job, clock_now_ns());
        if (error == -EPROTO)
            job_stop(juggle->job);
        due_ns = job_next_ns(juggle->job);
        pthread_mutex_unlock(&juggle->lock);
    }
    return NULL;
}

/* The threads that are created here inherit a mask that blocks all signals. */
static int keeper_start(struct juggle *juggle)
{
    sigset_t all, before;

    sigfillset(&all);
    int error = -pthread_sigmask(SIG_SETMASK, &all, &before);
    if (error)
        return error;
    error = job_start(juggle->job);
    juggle->started = !error;
    if (!error)
        error = -pthread_create(&juggle->keeper, NULL, keeper_main, juggle);
    juggle->running = !error;
    if (juggle->started && !juggle->running)
        job_stop(juggle->job);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int juggle_start(struct juggle *juggle)
{
    int error = -EALREADY;

    if (!juggle)
        return -EINVAL;
    if (!owned(juggle))
        return -EPERM;
    pthread_mutex_lock(&juggle->lock);
    if (!juggle->started) {
        juggle->started_ns = clock_now_ns();
        error = keeper_start(juggle);
    }
    pthread_mutex_unlock(&juggle->lock);
    return error;
}

static void keeper_end(struct juggle *juggle)
{
    juggle->stopping = true;
    eventfd_write(juggle->bell_fd, 1);
    pthread_join(juggle->keeper, NULL);
    pthread_mutex_lock(&juggle->lock);
    juggle->elapsed_ns = clock_now_ns() - juggle->started_ns;
    job_stop(juggle->job);
    pthread_mutex_unlock(&juggle->lock);
}

void juggle_stop(struct juggle *juggle)
{
    if (!juggle || !owned(juggle))
        return;
    pthread_mutex_lock(&juggle->ending);
    pthread_mutex_lock(&juggle->lock);
    const bool running = juggle->running;
    juggle->running = false;
    pthread_mutex_unlock(&juggle->lock);
    if (running)
        keeper_end(juggle);
    pthread_mutex_unlock(&juggle->ending);
}

/* ---- views ---- */

static void statistics_convert(const struct juggle *juggle, const struct job_statistics *job,
                               struct juggle_statistics *statistics)
{
    *statistics = (struct juggle_statistics){
        .size = sizeof(*statistics),
        .threads = job->threads_count,
        .processors = job->processors_count,
        .domains = job->domains_count,
        .elapsed_ns = juggle->elapsed_ns ? juggle->elapsed_ns : clock_now_ns() - juggle->started_ns,
        .waited_ns = job->waited_ns,
        .period_ns = job->period_ns,
        .rounds = job->rounds_count,
        .migrations = job->migrations_count,
        .moves_failed = job->moves_failed_count,
        .own_cpu_ns = job->balancers_cpu_ns,
    };
}

int juggle_statistics(struct juggle *juggle, struct juggle_statistics *statistics)
{
    struct job_statistics job;
    int error = -EAGAIN;

    if (!juggle || !statistics || statistics->size != sizeof(*statistics))
        return -EINVAL;
    if (!owned(juggle))
        return -EPERM;
    pthread_mutex_lock(&juggle->lock);
    if (juggle->started) {
        job_statistics(juggle->job, &job);
        statistics_convert(juggle, &job, statistics);
        error = 0;
    }
    pthread_mutex_unlock(&juggle->lock);
    return error;
}

static void thread_convert(const struct job_thread *job, struct juggle_thread_statistics *thread)
{
    *thread = (struct juggle_thread_statistics){
        .size = sizeof(*thread),
        .pid = job->pid,
        .tid = job->tid,
        .cpu = job->cpu,
        .ended = job->ended,
        .progress_ns = job->progress_ns,
        .run_ns = job->run_ns,
        .wait_ns = job->wait_ns,
        .blocked_ns = job->blocked_ns,
    };
    memcpy(thread->name, job->comm.untrusted, sizeof(thread->name));
}

static int threads_read(struct juggle *juggle, struct juggle_thread_statistics *threads,
                        int threads_max)
{
    struct job_thread *job = calloc((size_t)threads_max + 1, sizeof(*job));

    if (!job)
        return -ENOMEM;
    const int count = job_threads(juggle->job, job, threads_max);
    for (int i = 0; i < min_i64(count, threads_max); i++)
        thread_convert(&job[i], &threads[i]);
    free(job);
    return count;
}

int juggle_threads(struct juggle *juggle, struct juggle_thread_statistics *threads, int threads_max)
{
    int result = -EAGAIN;

    if (!juggle || threads_max < 0 ||
        (threads_max > 0 && (!threads || threads->size != sizeof(*threads))))
        return -EINVAL;
    if (!owned(juggle))
        return -EPERM;
    pthread_mutex_lock(&juggle->lock);
    if (juggle->started)
        result = threads_read(juggle, threads, threads_max);
    pthread_mutex_unlock(&juggle->lock);
    return result;
}

/* ---- what threads report ---- */

/* A thread of any process is accepted: the caller knows which processes are balanced. */
static int thread_check(pid_t tid)
{
    if (tid < 0)
        return -EINVAL;
    return tid && kill(tid, 0) && errno == ESRCH ? -ESRCH : 0;
}

static int thread_sit(struct juggle *juggle, pid_t tid, struct juggle_thread *thread)
{
    struct page *page = juggle ? job_page(juggle->job) : NULL;
    int error = thread_check(tid);

    if (error)
        return error;
    error = page ? 0 : page_attach_named(&thread->page);

    if (!error)
        error = page_seat(page ? page : thread->page, tid ? tid : gettid(), &thread->seat);
    if (error)
        return error;
    error = seat_claim(thread->seat);
    if (error)
        seat_leave(thread->seat);
    return error;
}

int juggle_thread_create(struct juggle *juggle, pid_t tid, struct juggle_thread **result)
{
    struct juggle_thread *thread;

    if (!result)
        return -EINVAL;
    if (juggle && !owned(juggle))
        return -EPERM;
    thread = calloc(1, sizeof(*thread));
    if (!thread)
        return -ENOMEM;
    thread->owner = getpid();
    int error = thread_sit(juggle, tid, thread);
    if (error) {
        page_destroy(thread->page);
        free(thread);
        return error;
    }
    *result = thread;
    return 0;
}

void juggle_thread_destroy(struct juggle_thread *thread)
{
    if (!thread)
        return;
    if (thread->owner == getpid()) {
        seat_disclaim(thread->seat);
        seat_leave(thread->seat);
    }
    page_destroy(thread->page);
    free(thread);
}

void juggle_progress(struct juggle_thread *thread, int64_t units)
{
    if (thread)
        seat_add(thread->seat, units);
}

void juggle_wait_begin(struct juggle_thread *thread)
{
    if (thread)
        seat_wait_begin(thread->seat, clock_now_ns());
}

void juggle_wait_end(struct juggle_thread *thread)
{
    if (thread)
        seat_wait_end(thread->seat, clock_now_ns());
}
