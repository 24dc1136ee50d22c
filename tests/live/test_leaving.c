/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that leave a job while they run, and come back. */
#include "tests/lib/live.h"
#include "tests/lib/refusal.h"
#include "tests/lib/suite.h"

#include "libjuggle/job/state.h"
#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* A piece is a few threads, so that a look takes several pieces. */
#define PIECE_NS (20 * NSEC_PER_USEC)

enum {
    PROCESSES = 2,
    THREADS = 2, /* per process */
    WORKERS = PROCESSES * THREADS,
    THREADS_MAX = 64,
    POLLS_MAX = 24, /* after this many polls a process that leaves in pieces has left */
};

static struct scene {
    struct job *job;
    pid_t pids[PROCESSES];
    int news[JOB_NEWS_COUNT];
} scene;

static void *worker_main(void *context)
{
    for (;;)
        work_for(NSEC_PER_SEC);
    return context;
}

static void workers_live(void *context)
{
    pthread_t thread;

    pthread_create(&thread, NULL, worker_main, NULL);
    worker_main(context);
}

static void told(void *context, enum job_news news, const struct thread_info *info)
{
    (void)context, (void)info;
    scene.news[news]++;
}

static void poll_once(void)
{
    const int64_t left_ns = max_i64(0, job_next_ns(scene.job) - clock_now_ns());
    struct pollfd heard = {.fd = job_fd(scene.job), .events = POLLIN};

    poll(&heard, 1, (int)min_i64((left_ns + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC, 100));
    ck_assert_int_eq(job_poll(scene.job, clock_now_ns()), 0);
}

/* If the condition never holds, the test times out. */
static void poll_until(bool (*is_so)(void))
{
    while (!is_so())
        poll_once();
}

static int balanced_count(void)
{
    struct job_thread threads[THREADS_MAX];
    const int count = job_threads(scene.job, threads, THREADS_MAX);
    int balanced = 0;

    for (int i = 0; i < count; i++)
        balanced += !threads[i].ended;
    return balanced;
}

static bool all_are_balanced(void)
{
    return scene.news[JOB_DISTRIBUTED] && balanced_count() == WORKERS;
}

static bool half_are_balanced(void)
{
    return balanced_count() == WORKERS - THREADS;
}

static bool is_quiet(void)
{
    return !job_is_busy(scene.job);
}

/* Returns false if there are not two processors. */
static bool scene_begin(int64_t piece_ns)
{
    char problem[JOB_PROBLEM_SIZE] = "";
    struct cpu_mask own;

    memset(&scene, 0, sizeof(scene));
    ck_assert_int_eq(affinity_get(0, &own), 0);
    if (cpu_mask_count(&own) < 2) {
        printf("skip: needs two processors\n");
        return false;
    }
    for (int i = 0; i < PROCESSES; i++)
        scene.pids[i] = child_start(workers_live, NULL);
    const struct job_options options = {
        .roots = scene.pids,
        .roots_count = PROCESSES,
        .roots_included = true,
        .threads_expected = WORKERS,
        .idle_threads = WORKERS_IDLE_AUTO,
        .piece_ns = piece_ns,
        .policy = {.kind = POLICY_JUGGLE,
                   .period_ns = 20 * NSEC_PER_MSEC,
                   .threads_max = THREADS_MAX},
        .listener.told = told,
    };
    ck_assert_msg(job_create(&options, problem, &scene.job) == 0, "%s", problem);
    ck_assert_int_eq(job_start(scene.job), 0);
    poll_until(all_are_balanced);
    return true;
}

static void scene_end(void)
{
    job_destroy(scene.job);
    for (int i = 0; i < PROCESSES; i++)
        child_end(scene.pids[i]);
}

static int leave(void)
{
    return job_disown(scene.job, scene.pids[1], clock_now_ns());
}

START_TEST(one_that_has_left_may_come_back)
{
    if (!scene_begin(0))
        return;
    ck_assert_int_eq(leave(), 0);
    ck_assert(half_are_balanced());
    ck_assert_int_eq(job_adopt(scene.job, scene.pids[1]), 0);
    poll_until(all_are_balanced);
    scene_end();
}

/* However far it has come with leaving. */
START_TEST(one_may_come_back_while_it_leaves)
{
    if (!scene_begin(PIECE_NS))
        return;
    for (int polls_count = 0; polls_count < POLLS_MAX; polls_count++) {
        ck_assert_int_eq(leave(), 0);
        for (int i = 0; i < polls_count; i++)
            poll_once();
        ck_assert_int_eq(job_adopt(scene.job, scene.pids[1]), 0);
        poll_until(is_quiet);
        poll_until(all_are_balanced);
    }
    scene_end();
}

START_TEST(one_that_has_left_is_free_for_others)
{
    struct job_options options = {.roots = &scene.pids[1],
                                  .roots_count = 1,
                                  .roots_included = true,
                                  .policy = {.kind = POLICY_JUGGLE,
                                             .period_ns = 20 * NSEC_PER_MSEC,
                                             .threads_max = THREADS_MAX}};
    char problem[JOB_PROBLEM_SIZE] = "";
    struct job *other;

    if (!scene_begin(0))
        return;
    ck_assert_int_eq(job_create(&options, problem, &other), -EALREADY);
    ck_assert_int_eq(leave(), 0);
    ck_assert_msg(job_create(&options, problem, &other) == 0, "%s", problem);
    job_destroy(other);
    scene_end();
}

START_TEST(a_broken_list_of_who_leaves_ends_the_job)
{
    if (!scene_begin(0))
        return;
    scene.job->disowned_count = PROCESSES;
    ck_assert_int_eq(leave(), 0);
    ck_assert_int_eq(job_poll(scene.job, clock_now_ns()), -EPROTO);
    ck_assert_ptr_nonnull(strstr(job_fault(scene.job), "left_count <= job->leaving_count"));
    scene_end();
}

START_TEST(without_files_one_leaves_at_once)
{
    if (!scene_begin(0))
        return;
    const rlim_t before = limit_set(RLIMIT_NOFILE, 3);
    const int error = leave();
    limit_set(RLIMIT_NOFILE, before);
    ck_assert_int_eq(error, -EMFILE);
    ck_assert(is_quiet());
    poll_until(half_are_balanced);
    scene_end();
}

SUITE("leaving")
