/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processors that come while a program is balanced. The new processors are made up: hwloc is given
 * a description of a machine. The kernel then says that they cannot be used, so the program stays
 * on the two that exist.
 */
#include "tests/lib/live.h"
#include "tests/lib/suite.h"

#include "libjuggle/job/job.h"
#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/linux/topology.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { WORKERS = 3, THREADS_MAX = 64 };

static struct scene {
    struct job *job;
    pid_t pid;
    struct cpu_mask whole, one;
    int news[JOB_NEWS_COUNT];
    int arrivals, exits, starts; /* events that an observer saw: all come from the polling thread */
    struct job_statistics now;
} scene;

static void *worker_main(void *context)
{
    (void)context;
    for (;;)
        work_for(NSEC_PER_SEC);
    return NULL;
}

static void workers_live(void *context)
{
    pthread_t threads[WORKERS];

    (void)context;
    for (int i = 1; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker_main, NULL);
    worker_main(NULL);
}

static void told(void *context, enum job_news news, const struct thread_info *info)
{
    (void)context, (void)info;
    scene.news[news]++;
}

static void record(void *context, const struct event *event, const struct plan *plan)
{
    (void)context, (void)plan;
    if (event->type == EVENT_THREAD_ARRIVED)
        scene.arrivals++;
    if (event->type == EVENT_THREAD_EXITED)
        scene.exits++;
    if (event->type == EVENT_START)
        scene.starts++;
}

/* Begins on a machine that is said to have this many processors. Returns false without hwloc, or
 * with fewer than two processors. */
static bool scene_begin(const char *machine, const struct job_options *wish)
{
    const struct engine_recorder observer = {record, NULL};
    struct job_options options = *wish;
    char problem[JOB_PROBLEM_SIZE] = "";

    memset(&scene, 0, sizeof(scene));
    setenv("HWLOC_SYNTHETIC", machine, 1);
    ck_assert_int_eq(affinity_get(0, &scene.whole), 0);
    if (strcmp(topology_source(), "hwloc") || cpu_mask_count(&scene.whole) < 2 ||
        !cpu_mask_has(&scene.whole, 0) || !cpu_mask_has(&scene.whole, 1)) {
        printf("skip: needs hwloc, and processors 0 and 1\n");
        return false;
    }
    cpu_mask_clear(&scene.one);
    cpu_mask_add(&scene.one, 0);
    scene.pid = child_start(workers_live, NULL);
    options.roots = &scene.pid;
    options.roots_count = 1;
    options.roots_included = true;
    options.threads_expected = WORKERS;
    options.idle_threads = WORKERS_IDLE_AUTO;
    options.policy = (struct policy_options){
        .kind = POLICY_JUGGLE, .period_ns = 20 * NSEC_PER_MSEC, .threads_max = THREADS_MAX};
    options.listener.told = told;
    ck_assert_int_eq(affinity_set(0, &scene.one), 0);
    ck_assert_msg(job_create(&options, problem, &scene.job) == 0, "%s", problem);
    job_observe(scene.job, &observer);
    ck_assert_int_eq(job_start(scene.job), 0);
    return true;
}

/* A job that names no processors may use those that the caller may use. */
static void processors_come(const char *machine)
{
    setenv("HWLOC_SYNTHETIC", machine, 1);
    ck_assert_int_eq(affinity_set(0, &scene.whole), 0);
}

static void poll_once(void)
{
    const int64_t left_ns = max_i64(0, job_next_ns(scene.job) - clock_now_ns());
    struct pollfd heard = {.fd = job_fd(scene.job), .events = POLLIN};

    poll(&heard, 1, (int)min_i64(left_ns / NSEC_PER_MSEC + 1, 100));
    ck_assert_int_eq(job_poll(scene.job, clock_now_ns()), 0);
    job_statistics(scene.job, &scene.now);
}

static void poll_for(int64_t duration_ns)
{
    const int64_t until_ns = clock_now_ns() + duration_ns;

    while (clock_now_ns() < until_ns)
        poll_once();
}

/* If the condition never holds, the test times out. */
static void poll_until(bool (*is_so)(void))
{
    while (!is_so())
        poll_once();
}

static bool moved(void)
{
    return scene.news[JOB_DISTRIBUTED] && scene.now.migrations_count >= 5;
}

static bool moved_anew(void)
{
    return scene.news[JOB_MACHINE_GROWN] && scene.now.migrations_count >= 15;
}

static bool says_why_not(void)
{
    return scene.now.shortfall && strstr(scene.now.shortfall, "one processor only");
}

static bool is_distributed(void)
{
    return scene.news[JOB_DISTRIBUTED];
}

static void scene_end(void)
{
    struct cpu_mask mask;
    struct job_thread threads[THREADS_MAX];
    const int count = job_threads(scene.job, threads, THREADS_MAX);

    ck_assert_int_eq(count, WORKERS);
    job_stop(scene.job);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(affinity_get(threads[i].tid, &mask), 0);
        ck_assert(cpu_mask_equal(&mask, &scene.whole));
        ck_assert_int_gt(threads[i].run_ns, 0);
    }
    job_destroy(scene.job);
    child_end(scene.pid);
}

START_TEST(a_balanced_program_is_balanced_on_them_too)
{
    const struct job_options plain = {.capacity = "auto"};

    if (!scene_begin("pu:2", &plain))
        return;
    poll_until(moved);
    ck_assert_int_eq(job_machine(scene.job)->processors_count, 2);
    ck_assert_int_eq(scene.exits, 0);
    processors_come("node:2 pu:2");
    poll_until(moved_anew);
    ck_assert_int_eq(scene.news[JOB_MACHINE_GROWN], 1);
    ck_assert_int_eq(job_machine(scene.job)->processors_count, 4);
    ck_assert_int_eq(job_machine(scene.job)->domains_count, 2);
    /* Once on each machine; no thread came or left as far as a listener knows. */
    ck_assert_int_eq(scene.starts, 2);
    ck_assert_int_eq(scene.exits, WORKERS);
    ck_assert_int_eq(scene.arrivals, 2 * WORKERS);
    ck_assert_int_eq(scene.news[JOB_THREAD_JOINED], WORKERS);
    ck_assert_int_eq(scene.news[JOB_THREAD_LEFT], 0);
    ck_assert_int_eq(scene.news[JOB_DISTRIBUTED], 1);
    scene_end();
}

START_TEST(one_processor_is_waited_with)
{
    const struct job_options plain = {.capacity = "equal"};

    if (!scene_begin("pu:1", &plain))
        return;
    poll_until(says_why_not);
    poll_for(NSEC_PER_SEC);
    ck_assert_int_eq(scene.now.threads_count, 0);
    ck_assert_int_eq(scene.news[JOB_DISTRIBUTED], 0);
    ck_assert(says_why_not());
    ck_assert_int_eq(page_processors(job_page(scene.job)), 1);
    processors_come("pu:2");
    poll_until(moved);
    ck_assert_int_eq(page_processors(job_page(scene.job)), 2);
    ck_assert_ptr_null(scene.now.shortfall);
    ck_assert_int_eq(scene.news[JOB_THREAD_JOINED], WORKERS);
    scene_end();
}

START_TEST(whoever_names_processors_gets_no_others)
{
    const struct job_options named = {.cpus = "0-1"};

    if (!scene_begin("pu:2", &named))
        return;
    poll_until(is_distributed);
    processors_come("pu:4");
    poll_for(2 * NSEC_PER_SEC);
    ck_assert_int_eq(scene.news[JOB_MACHINE_GROWN], 0);
    ck_assert_int_eq(job_machine(scene.job)->processors_count, 2);
    scene_end();
}

SUITE("growth_live")
