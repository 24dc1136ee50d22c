/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples that threads tell: the half that is loaded into the program, which is this test. */
#include "tests/lib/live.h"
#include "tests/lib/named_page.h"
#include "tests/lib/suite.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/preload/samplers.h"
#include "libjuggle/preload/waiter.h"
#include "libjuggle/waiting/page.h"
#include "libjuggle/waiting/page_samples.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__)

#define SOME_TICKS_NS (60 * NSEC_PER_MSEC)

static struct page *page; /* the balancer's */
static _Atomic int heard_count;

static void heed(int signal, siginfo_t *info, void *context)
{
    if (signal != SIGURG || info->si_code != SI_TIMER)
        abort();
    heard_count++;
    sampler_note(info->si_value.sival_int - PAGE_SAMPLES_REQUEST,
                 (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]);
}

static void setup(void)
{
    page = waiter_page();
    ck_assert_ptr_nonnull(page);
    samplers_end();
    for (int i = 0; i < PAGE_SAMPLED_MAX; i++)
        page_sample_ask(page, i, 0, 0);
    page_samples_hold(page, clock_now_ns() + 100 * NSEC_PER_SEC);
    heard_count = 0;
    ck_assert_int_eq(
        sigaction(SIGURG, &(struct sigaction){.sa_sigaction = heed, .sa_flags = SA_SIGINFO}, NULL),
        0);
}

/* Works for some CPU time of the thread, because other programs may take the processor
 * meanwhile. */
__attribute__((noinline)) static void work(void)
{
    const int64_t until_ns = clock_spent_ns() + SOME_TICKS_NS;

    while (clock_spent_ns() < until_ns)
        for (volatile int i = 0; i < 1000 * 1000; i++)
            continue;
}

static int count_at(int index)
{
    uint64_t addresses[PAGE_SAMPLES_MAX];

    return page_samples_read(page, index, addresses);
}

/* A thread that only has the processor for moments between two ticks is noted at none, so work
 * until it is. */
static int work_until_noted(int index)
{
    const uint64_t begin = (uint64_t)(uintptr_t)work;
    uint64_t addresses[PAGE_SAMPLES_MAX];
    int there_count = 0;

    for (int i = 0; i < 50 && !there_count; i++) {
        work();
        const int count = page_samples_read(page, index, addresses);
        for (int k = 0; k < count; k++)
            there_count += addresses[k] - begin < 1000;
    }
    return there_count;
}

START_TEST(who_is_asked_notes_where_he_is_as_long_as_somebody_looks)
{
    setup();
    page_sample_ask(page, 3, getpid(), gettid());
    samplers_set();
    ck_assert(!page_sample_is_due(page, 3));
    ck_assert_int_gt(work_until_noted(3), 0);
    page_samples_hold(page, 0);
    work();
    /* A sample that was noted before the end is counted; one more signal may have come after it. */
    const int heard_before = heard_count;
    const int count = count_at(3);
    ck_assert(heard_before == count || heard_before == count + 1);
    work();
    ck_assert_int_eq(heard_count, heard_before);
    ck_assert_int_eq(count_at(3), count);
}

enum { WORKERS_INDEX = 7 };

struct worker {
    pthread_t thread;
    _Atomic pid_t tid;
    _Atomic bool may_work;
};

static void *work_when_told(void *data)
{
    struct worker *worker = data;

    worker->tid = gettid();
    while (!worker->may_work)
        usleep(1000);
    (void)work_until_noted(WORKERS_INDEX);
    return NULL;
}

START_TEST(who_asks_has_others_note_it_too_but_not_those_of_other_processes)
{
    struct worker worker = {0};

    setup();
    ck_assert_int_eq(pthread_create(&worker.thread, NULL, work_when_told, &worker), 0);
    while (!worker.tid)
        usleep(1000);
    page_sample_ask(page, WORKERS_INDEX, getpid(), worker.tid);
    page_sample_ask(page, 8, getppid(), getppid());
    samplers_set();
    ck_assert(!page_sample_is_due(page, WORKERS_INDEX));
    ck_assert(page_sample_is_due(page, 8));
    worker.may_work = true;
    work();
    pthread_join(worker.thread, NULL);
    ck_assert_int_gt(count_at(WORKERS_INDEX), 0);
    ck_assert_int_eq(count_at(WORKERS_INDEX), heard_count);
    ck_assert_int_eq(count_at(8), 0);
}

START_TEST(those_of_an_earlier_look_end)
{
    setup();
    page_sample_ask(page, 1, getpid(), gettid());
    samplers_set();
    page_sample_ask(page, 1, getpid(), 1);
    page_sample_ask(page, 2, getpid(), gettid());
    samplers_set();
    /* There is no such thread, so nothing is due any more. */
    ck_assert(!page_sample_is_due(page, 1));
    work();
    ck_assert_int_eq(count_at(1), 0);
    /* A signal may come between any two of these. */
    int heard_before = heard_count;
    const int count = count_at(2);
    ck_assert(count >= heard_before && count <= heard_count);
    samplers_end();
    heard_before = heard_count;
    work();
    ck_assert_int_le(heard_count, heard_before);
}

/* The kernel numbers the timers of each process from the same number on. */
START_TEST(timers_of_a_child_are_its_own)
{
    setup();
    page_sample_ask(page, 0, getpid(), gettid());
    samplers_set();
    const pid_t child = fork();
    if (child == 0) {
        struct sigevent event = {.sigev_notify = SIGEV_NONE};
        struct itimerspec left;
        samplers_begin_child();
        for (int number = 0; number < 100; number++)
            if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &number))
                _exit(2);
        samplers_end();
        for (int number = 0; number < 100; number++)
            if (syscall(SYS_timer_gettime, number, &left))
                _exit(3);
        _exit(0);
    }
    child_expect_success(child);
    samplers_end();
}

START_TEST(more_than_there_is_room_for_is_not_noted)
{
    setup();
    page_sample_ask(page, 0, getpid(), gettid());
    for (uint64_t i = 0; i < 2 * PAGE_SAMPLES_MAX; i++)
        page_sample_note(page, 0, gettid(), i);
    ck_assert_int_eq(count_at(0), PAGE_SAMPLES_MAX);
    /* A sample that an earlier thread notes is not counted for another one. */
    page_sample_ask(page, 0, getpid(), gettid() + 1);
    page_sample_note(page, 0, gettid(), 1);
    ck_assert_int_eq(count_at(0), 0);
}

SUITE("samplers")

#else

START_TEST(there_are_none_here)
{
}

SUITE("samplers")

#endif
