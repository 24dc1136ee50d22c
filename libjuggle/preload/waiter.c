/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interleaving. All but `process` is the calling thread's own. `process` is filled before main,
 * when there is one thread, and only read afterwards. A child of fork has one thread, which goes on
 * in the calls that its parent was in, and takes a seat of its own.
 */
#include "libjuggle/preload/waiter.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/waiting/crowd.h"
#include "libjuggle/waiting/page.h"
#include "libjuggle/waiting/wait_style.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PREPARE_PRIORITY = 200 };

/* How late a nap may end: by the kernel's default, 50 us, the shortest nap could last twice as
 * long. */
#define NAP_SLACK_NS 1000UL

static struct {
    struct page *page; /* NULL: there is no balancer */
    bool oversubscribed;
    bool leaves; /* threads give their seats up when they end */
    pthread_key_t seat_key;
} process;

enum seating { SEAT_UNKNOWN, SEAT_HAD, SEAT_REFUSED };

/* The loader lays this storage out before main: it is reached without a call, and without a
 * lock. */
static __thread __attribute__((tls_model("initial-exec"))) struct {
    int depth;
    bool reported; /* the wait is on the page */
    int64_t began_ns;
    struct ended_wait before; /* the wait before the one that has ended last */
    struct wait_style style;
    enum seating seating;
    struct seat *seat;
} self;

/* ---- process and threads ---- */

static void seat_forget(void)
{
    self.seating = SEAT_UNKNOWN;
    self.reported = false;
}

/* The thread ends. If it waits again after that, it takes a seat again. */
static void seat_give_up(void *seat)
{
    seat_forget();
    seat_leave(seat);
}

static void forget_after_fork(void)
{
    seat_forget();
    if (process.leaves)
        pthread_setspecific(process.seat_key, NULL);
}

/* The function that pthread_atfork calls. Only GNU's C library has it: a program with another C
 * library loads the object, and is left alone. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *object) __attribute__((weak));

/* Runs before constructors without a priority, because these use what is found here. */
__attribute__((constructor(PREPARE_PRIORITY))) static void process_prepare(void)
{
    const bool attached = __register_atfork && !page_attach_named(&process.page);

    if (attached) {
        process.leaves = !pthread_key_create(&process.seat_key, seat_give_up);
        __register_atfork(NULL, NULL, forget_after_fork, NULL);
    }
    /* Asks the system only if there is no page: each process that a program starts pays for
     * that. */
    process.oversubscribed = crowd_oversubscribes(getenv, attached ? page_processors(process.page)
                                                                   : crowd_processors());
}

struct page *waiter_page(void)
{
    return process.page;
}

void waiter_set_oversubscribed(void)
{
    process.oversubscribed = true;
}

static struct seat *seat_have(void)
{
    if (self.seating == SEAT_UNKNOWN) {
        const bool had = process.page && !page_seat(process.page, gettid(), &self.seat);
        self.seating = had ? SEAT_HAD : SEAT_REFUSED;
        if (had && process.leaves)
            pthread_setspecific(process.seat_key, self.seat);
    }
    return self.seating == SEAT_HAD ? self.seat : NULL;
}

void waiter_gave_way(void)
{
    page_gave_way(process.page);
}

/* ---- waits ---- */

void waiter_wait_begin(void)
{
    struct seat *seat = seat_have();

    self.began_ns = clock_now_ns();
    self.reported = seat && seat_wait_begin(seat, self.began_ns);
}

void waiter_wait_resume(void)
{
    struct seat *seat = seat_have();

    self.began_ns = clock_now_ns();
    self.reported = seat && seat_wait_resume(seat, &self.before, self.began_ns);
}

void waiter_wait_end(void)
{
    const int64_t now_ns = clock_now_ns();

    if (self.began_ns)
        wait_style_end(&self.style, now_ns - self.began_ns);
    if (self.reported) {
        seat_ended(self.seat, &self.before);
        seat_wait_end(self.seat, now_ns);
    }
    self.reported = false;
    self.began_ns = 0;
}

void waiter_enter(void)
{
    if (self.depth++ == 0)
        wait_style_begin(&self.style, process.oversubscribed);
}

void waiter_leave(void)
{
    if (--self.depth == 0 && self.began_ns)
        waiter_wait_end();
}

void waiter_nap(int64_t nap_ns, const struct waiter_word *word)
{
    const struct timespec length = {0, nap_ns};
    const int slack_ns = prctl(PR_GET_TIMERSLACK);

    prctl(PR_SET_TIMERSLACK, NAP_SLACK_NS);
    if (word)
        syscall(SYS_futex, word->at, FUTEX_WAIT_PRIVATE, word->value, &length, NULL, 0);
    else
        syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &length, NULL);
    if (slack_ns >= 0)
        prctl(PR_SET_TIMERSLACK, (unsigned long)slack_ns);
}

bool waiter_idle(const struct waiter_word *word)
{
    if (self.depth == 0)
        return false;
    if (!self.began_ns)
        waiter_wait_begin();
    const int64_t now_ns = wait_style_wants_clock(&self.style) ? clock_now_ns() : self.began_ns;
    const struct wait_step step = wait_style_next(&self.style, now_ns - self.began_ns);

    switch (step.kind) {
    case WAIT_STEP_LOOK:
        return false;
    case WAIT_STEP_YIELD:
        syscall(SYS_sched_yield);
        return true;
    case WAIT_STEP_NAP:
        waiter_nap(step.nap_ns, word);
        return true;
    }
    return false;
}

void waiter_busy(void)
{
    self.style.looks = 0;
}
