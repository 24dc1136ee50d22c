/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel looks at the clock of a thread's processor time at its ticks, and sends the timer's
 * signal on the way back to the program. So a thread that is about to sleep in a call is not kept
 * from it, and there is one sample per tick at most.
 *
 * Interleaving. `busy` guards samplers_set. A handler that finds it taken does nothing, because the
 * code that it has interrupted may have taken it. A thread that takes a timer's number out of the
 * table deletes that timer.
 */
#include "libjuggle/preload/samplers.h"

#include "libjuggle/linux/clock.h"
#include "libjuggle/preload/waiter.h"
#include "libjuggle/waiting/page_samples.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Most ticks are longer. If they are shorter, there is still room for the samples of the longest
 * request. */
#define INTERVAL_NS (3 * NSEC_PER_MSEC)

static _Atomic int timers[PAGE_SAMPLED_MAX]; /* the kernel's number plus 1; 0: none */
static atomic_flag busy = ATOMIC_FLAG_INIT;

/* ---- one timer ---- */

/* The clock of a thread's processor time, as the kernel encodes it; the thread is of this
 * process. */
static int clock_of(pid_t tid)
{
    enum { OF_A_THREAD = 4, THAT_IS_SCHEDULED = 2, BITS = 3 };

    return (int)(~(unsigned)tid << BITS) | OF_A_THREAD | THAT_IS_SCHEDULED;
}

static void timer_begin(int index, pid_t tid)
{
    const struct timespec interval = {0, INTERVAL_NS};
    const struct itimerspec times = {interval, interval};
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD_ID,
        .sigev_signo = SIGURG,
        .sigev_value.sival_int = PAGE_SAMPLES_REQUEST + index,
        ._sigev_un._tid = tid,
    };
    int number;

    if (syscall(SYS_timer_create, clock_of(tid), &event, &number))
        return;
    timers[index] = number + 1;
    (void)syscall(SYS_timer_settime, number, 0, &times, NULL);
}

static void timer_end(int index)
{
    const int number = atomic_exchange(&timers[index], 0) - 1;

    if (number >= 0)
        (void)syscall(SYS_timer_delete, number);
}

/* ---- all of them ---- */

void samplers_set(void)
{
    struct page *page = waiter_page();
    const pid_t pid = getpid();

    if (atomic_flag_test_and_set(&busy))
        return;
    for (int i = 0; i < PAGE_SAMPLED_MAX; i++)
        timer_end(i);
    for (int i = 0; i < PAGE_SAMPLED_MAX; i++) {
        const pid_t tid = page_sample_due(page, i, pid);
        if (!tid)
            continue;
        timer_begin(i, tid);
        page_sample_is_answered(page, i);
    }
    atomic_flag_clear(&busy);
}

void sampler_note(int index, uint64_t address)
{
    if (page_samples_are_wanted(waiter_page(), clock_now_ns()))
        page_sample_note(waiter_page(), index, gettid(), address);
    else
        timer_end(index);
}

void samplers_end(void)
{
    for (int i = 0; i < PAGE_SAMPLED_MAX; i++)
        timer_end(i);
}

void samplers_begin_child(void)
{
    for (int i = 0; i < PAGE_SAMPLED_MAX; i++)
        timers[i] = 0;
    atomic_flag_clear(&busy);
}
