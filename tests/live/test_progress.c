/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/lib/live.h"
#include "tests/lib/suite.h"

#include "libjuggle/linux/procfs.h"
#include "libjuggle/linux/progress.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 8, READS_COUNT = 1000 };

/* A counter may lag by one tick, and ticks are at most this long. */
#define TICK_MAX_NS (10 * NSEC_PER_MSEC)

static int proc_fd;

/* Returns false, and prints why, if the source is not permitted. */
static bool source_open(enum progress_kind kind, struct progress **progress)
{
    const struct progress_options options = {
        .proc_fd = proc_fd, .threads_max = THREADS_MAX, .readers_max = THREADS_MAX};
    int error = progress_open(kind, &options, progress);

    if (error)
        printf("skip: %s: %s\n", progress_kind_name(kind), strerror(-error));
    return error == 0;
}

/* A thread that works for this time, and then sleeps until it may end. */
struct sleeper {
    pthread_t thread;
    int64_t work_ns;
    atomic_int tid; /* set when it has worked */
    int end[2];
};

static void *sleeper_live(void *context)
{
    struct sleeper *sleeper = context;
    char unused;

    work_for(sleeper->work_ns);
    sleeper->tid = gettid();
    return (void *)read(sleeper->end[0], &unused, 1);
}

static bool sleeps(void *context)
{
    struct sleeper *sleeper = context;
    struct thread_stat stat;

    return sleeper->tid && procfs_stat_read(proc_fd, getpid(), sleeper->tid, &stat) == 0 &&
           stat.state == 'S';
}

static void sleeper_start(struct sleeper *sleeper, int64_t work_ns)
{
    *sleeper = (struct sleeper){.work_ns = work_ns};
    ck_assert_int_eq(pipe(sleeper->end), 0);
    ck_assert_int_eq(pthread_create(&sleeper->thread, NULL, sleeper_live, sleeper), 0);
    await(sleeps, sleeper);
}

static struct thread_id sleeper_id(const struct sleeper *sleeper)
{
    return id_of(getpid(), sleeper->tid);
}

static void sleeper_end(struct sleeper *sleeper)
{
    close(sleeper->end[1]);
    pthread_join(sleeper->thread, NULL);
    close(sleeper->end[0]);
}

static void begin(void)
{
    ck_assert_int_eq(procfs_open(&proc_fd), 0);
}

static void expect_work_counted(enum progress_kind kind)
{
    const int64_t work_ns = 100 * NSEC_PER_MSEC;
    struct thread_id self = id_of(getpid(), gettid());
    struct sample before, after;
    struct progress *progress;

    if (!source_open(kind, &progress))
        return;
    ck_assert_int_eq(progress_thread_open(progress, 3, &self), 0);
    ck_assert_int_eq(progress_read(progress, 3, &before), 0);
    work_for(work_ns);
    ck_assert_int_eq(progress_read(progress, 3, &after), 0);
    ck_assert_int_ge(after.run_ns - before.run_ns, work_ns - TICK_MAX_NS);
    ck_assert_int_gt(after.now_ns, before.now_ns);
    ck_assert_int_ge(after.wait_ns, before.wait_ns);
    progress_thread_close(progress, 3);
    progress_close(progress);
}

START_TEST(every_source_counts_work)
{
    begin();
    for (int kind = 0; kind < PROGRESS_KINDS_COUNT; kind++)
        expect_work_counted((enum progress_kind)kind);
}

START_TEST(the_sources_agree_on_a_sleeper)
{
    struct sample samples[PROGRESS_KINDS_COUNT];
    struct progress *progress;
    struct thread_id id;
    struct sleeper sleeper;

    begin();
    sleeper_start(&sleeper, 20 * NSEC_PER_MSEC);
    id = sleeper_id(&sleeper);
    ck_assert(source_open(PROGRESS_SCHEDSTAT, &progress));
    ck_assert_int_eq(progress_thread_open(progress, 0, &id), 0);
    ck_assert_int_eq(progress_read(progress, 0, &samples[0]), 0);
    progress_close(progress);
    for (int kind = 1; kind < PROGRESS_KINDS_COUNT; kind++) {
        if (!source_open((enum progress_kind)kind, &progress))
            continue;
        ck_assert_int_eq(progress_thread_open(progress, 0, &id), 0);
        ck_assert_int_eq(progress_read(progress, 0, &samples[kind]), 0);
        ck_assert_int_eq(samples[kind].run_ns, samples[0].run_ns);
        ck_assert_int_eq(samples[kind].wait_ns, samples[0].wait_ns);
        ck_assert_int_eq(samples[kind].slices_count, samples[0].slices_count);
        progress_close(progress);
    }
    sleeper_end(&sleeper);
}

struct watched {
    struct progress *progress;
    int slot;
};

static bool is_gone(void *context)
{
    const struct watched *watched = context;

    return progress_alive(watched->progress, watched->slot) == -ESRCH;
}

START_TEST(the_dead_are_gone)
{
    begin();
    for (int kind = 0; kind < PROGRESS_KINDS_COUNT; kind++) {
        struct watched watched = {.slot = 1};
        struct sleeper sleeper;
        struct sample sample;
        struct thread_id id;
        if (!source_open((enum progress_kind)kind, &watched.progress))
            continue;
        sleeper_start(&sleeper, 0);
        id = sleeper_id(&sleeper);
        ck_assert_int_eq(progress_thread_open(watched.progress, watched.slot, &id), 0);
        ck_assert_int_eq(progress_alive(watched.progress, watched.slot), 0);
        sleeper_end(&sleeper);
        await(is_gone, &watched);
        ck_assert_int_eq(progress_read(watched.progress, watched.slot, &sample), -ESRCH);
        ck_assert_int_eq(progress_thread_open(watched.progress, 2, &id), -ESRCH);
        progress_close(watched.progress);
    }
}

START_TEST(another_thread_with_its_number_is_refused)
{
    struct thread_id self = id_of(getpid(), gettid());
    struct progress *progress;

    begin();
    self.start_ticks--;
    for (int kind = 0; kind < PROGRESS_KINDS_COUNT; kind++) {
        if (!source_open((enum progress_kind)kind, &progress))
            continue;
        ck_assert_int_eq(progress_thread_open(progress, 0, &self), -ESRCH);
        progress_close(progress);
    }
}

/* One of several readers that read at once, each with a sleeper of its own whose counters do not
 * change. */
struct reader {
    pthread_t thread;
    struct sleeper sleeper;
    struct progress *progress;
    int slot;
    int wrong_count;
};

static void *reader_live(void *context)
{
    struct reader *reader = context;
    struct sample first, sample;

    if (progress_read(reader->progress, reader->slot, &first))
        return NULL;
    for (int i = 0; i < READS_COUNT; i++) {
        int error = progress_read(reader->progress, reader->slot, &sample);
        reader->wrong_count += error || sample.run_ns != first.run_ns;
    }
    reader->wrong_count--; /* shows that the reader came so far */
    return NULL;
}

static void expect_readers_apart(enum progress_kind kind)
{
    static struct reader readers[THREADS_MAX];
    struct progress *progress;

    if (!source_open(kind, &progress))
        return;
    for (int i = 0; i < THREADS_MAX; i++) {
        readers[i] = (struct reader){.progress = progress, .slot = i};
        sleeper_start(&readers[i].sleeper, i * NSEC_PER_MSEC);
        struct thread_id id = sleeper_id(&readers[i].sleeper);
        ck_assert_int_eq(progress_thread_open(progress, i, &id), 0);
    }
    for (int i = 0; i < THREADS_MAX; i++)
        pthread_create(&readers[i].thread, NULL, reader_live, &readers[i]);
    for (int i = 0; i < THREADS_MAX; i++) {
        pthread_join(readers[i].thread, NULL);
        ck_assert_int_eq(readers[i].wrong_count, -1);
        sleeper_end(&readers[i].sleeper);
    }
    progress_close(progress);
}

START_TEST(many_may_read_at_once)
{
    begin();
    for (int kind = 1; kind < PROGRESS_KINDS_COUNT; kind++)
        expect_readers_apart((enum progress_kind)kind);
}

START_TEST(nobody_needs_a_privilege_for_schedstat)
{
    struct progress_options options = {.threads_max = THREADS_MAX, .readers_max = 1};
    struct progress *progress;
    int error;

    if (!become_nobody()) {
        printf("skip: only root can become nobody\n");
        return;
    }
    begin();
    options.proc_fd = proc_fd;
    ck_assert_int_eq(progress_open(PROGRESS_AUTO, &options, &progress), 0);
    ck_assert_str_eq(progress_name(progress), "schedstat");
    progress_close(progress);
    expect_work_counted(PROGRESS_SCHEDSTAT);
    error = progress_open(PROGRESS_TASKSTATS, &options, &progress);
    ck_assert(error == -EPERM || error == -EACCES || error == -ENOTSUP);
}

SUITE("progress")
