/* SPDX-License-Identifier: BSD-3-Clause */
#include "libjuggle/ground/units.h"
#include "libjuggle/preload/next.h"
#include "libjuggle/preload/waiter.h"
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

/* Until somebody slept on the word, as who changes it would. */
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
END_TEST

/* A quarter of an hour of naps would be. */
START_TEST(no_nap_begins_when_the_word_has_changed)
{
    const struct waiter_word other = {&word, word + 1};

    for (int i = 0; i < REFUSALS; i++)
        waiter_nap(NAP_NS, &other);
}
END_TEST

START_TEST(without_a_word_a_nap_is_a_sleep)
{
    waiter_nap(1, NULL);
}
END_TEST

/* Any that is loaded each time. */
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
END_TEST

SUITE("waiter", a_function_is_searched_for_while_others_open_libraries,
      who_wakes_those_that_sleep_on_the_word_ends_a_nap, no_nap_begins_when_the_word_has_changed,
      without_a_word_a_nap_is_a_sleep)
