/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/ground/units.h"
#include "libjuggle/preload/next.h"
#include "libjuggle/preload/waiter.h"
#include "libjuggle/linux/clock.h"
#include "libjuggle/waiting/page.h"
#include "tests/lib/live.h"
#include "tests/lib/named_page.h"
#include "tests/lib/suite.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __SANITIZE_THREAD__
enum { UNSEEN = 1 };
#else
enum { UNSEEN = 0 };
#endif

enum { NAPS = 20, REFUSALS = 1000, OPENINGS = 3000 };

#define NAP_NS (NSEC_PER_SEC - 1)

static uint32_t word;
static atomic_bool awake;

/* Wakes the waiter when it sleeps on the word, as the thread that changes the word would. */
static void *wake(void *unused)
{
    while (!atomic_load(&awake) &&
           syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) < 1)
        sched_yield();
    atomic_store(&awake, true);
    return unused;
}

START_TEST(who_wakes_those_that_sleep_on_the_word_ends_a_nap)
{
    const struct waiter_word same = {&word, word};
    pthread_t waker;
    int naps = 0;

    ck_assert_int_eq(pthread_create(&waker, NULL, wake, NULL), 0);
    while (!atomic_load(&awake) && naps++ < NAPS)
        waiter_nap(NAP_NS, &same);
    ck_assert_int_lt(naps, NAPS);
    pthread_join(waker, NULL);
}

/* Without the check this would be a quarter of an hour of naps. */
START_TEST(no_nap_begins_when_the_word_has_changed)
{
    const struct waiter_word other = {&word, word + 1};

    for (int i = 0; i < REFUSALS; i++)
        waiter_nap(NAP_NS, &other);
}

START_TEST(without_a_word_a_nap_is_a_sleep)
{
    waiter_nap(1, NULL);
}

/* Opens a library that is loaded anew each time. */
static void *open_and_close(void *unused)
{
    for (int i = 0; i < OPENINGS; i++) {
        void *library = dlopen("libthread_db.so.1", RTLD_LAZY);
        if (library)
            dlclose(library);
    }
    atomic_store(&awake, true);
    return unused;
}

START_TEST(a_function_is_searched_for_while_others_open_libraries)
{
    pthread_t opener;
    next_t unknown = NULL, known = NULL;

    if (UNSEEN) {
        printf("skip: the loader's locks are unknown to the sanitizer\n");
        return;
    }
    ck_assert_int_eq(pthread_create(&opener, NULL, open_and_close, NULL), 0);
    while (!atomic_load(&awake))
        ck_assert_ptr_null(next_find(&unknown, "no_such_function", "/lib"));
    ck_assert_ptr_nonnull(next_find(&known, "malloc", "/libc."));
    pthread_join(opener, NULL);
}

/* ---- seats ---- */

static bool sits(pid_t tid)
{
    struct place place = {0};

    return page_find(waiter_page(), tid, 0, &place);
}

static bool waits(pid_t tid)
{
    struct place place = {0};
    struct seat_report report;

    if (!page_find(waiter_page(), tid, 0, &place))
        return false;
    page_read(waiter_page(), &place, clock_now_ns(), &report);
    return report.waits;
}

/* A signal handler of the program may fork while its thread waits. */
START_TEST(a_child_of_who_waits_waits_as_anybody)
{
    waiter_enter();
    (void)waiter_idle(NULL);
    ck_assert(waits(gettid()));
    const pid_t child = fork();
    if (child == 0) {
        waiter_leave();
        waiter_enter();
        (void)waiter_idle(NULL);
        _exit(!waits(gettid()) || !waits(getppid()));
    }
    child_expect_success(child);
    ck_assert(waits(gettid()));
    waiter_leave();
    ck_assert(!waits(gettid()));
}

/* A sanitizer's own thread would keep the process alive. */
static void end_all(void *unused)
{
    (void)unused;
    _exit(0);
}

/* The destructor of the key that was made last runs last. */
static _Noreturn void thread_end(void)
{
    pthread_key_t last;

    ck_assert_int_eq(pthread_key_create(&last, end_all), 0);
    ck_assert_int_eq(pthread_setspecific(last, &word), 0);
    pthread_exit(NULL);
}

START_TEST(a_child_whose_thread_ends_leaves_its_parent_the_seat)
{
    waiter_wait_begin();
    waiter_wait_end();
    ck_assert(sits(gettid()));
    const pid_t child = fork();
    if (child == 0)
        thread_end();
    child_expect_success(child);
    ck_assert(sits(gettid()));
}

/* A destructor of the program that waits runs after the one by which the thread gives up its
 * seat, because its key was made later. */
static void wait_at_the_end(void *sat)
{
    waiter_enter();
    (void)waiter_idle(NULL);
    *(bool *)sat = waits(gettid());
    waiter_leave();
}

static void *sit_and_end(void *key)
{
    static bool sat;

    waiter_wait_begin();
    waiter_wait_end();
    (void)pthread_setspecific(*(pthread_key_t *)key, &sat);
    return &sat;
}

START_TEST(who_waits_when_it_ends_has_a_seat)
{
    pthread_key_t key;
    pthread_t thread;
    void *sat;

    ck_assert_int_eq(pthread_key_create(&key, wait_at_the_end), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, sit_and_end, &key), 0);
    ck_assert_int_eq(pthread_join(thread, &sat), 0);
    ck_assert(*(bool *)sat);
}

SUITE("waiter")
