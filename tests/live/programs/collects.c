/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three threads that spin at barriers, in a program that blocked SIGTRAP before they began, and a
 * fourth thread that waits for this signal. Prints "collected" if everything is as it would be
 * without a balancer.
 */
#include "tests/live/programs/spinning.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 450, SENT_IN = ROUNDS - 20, WORK = 600000 };

static struct meeting meeting;
static sigset_t trap;
static sigjmp_buf before_alarm;
static volatile sig_atomic_t traps_count, seemed_blocked;

static bool seems_blocked(void)
{
    sigset_t now;

    if (pthread_sigmask(SIG_BLOCK, NULL, &now))
        abort();
    return sigismember(&now, SIGTRAP);
}

static void heed_trap(int signal)
{
    (void)signal;
    traps_count++;
}

static void leave_alarm(int signal)
{
    (void)signal;
    seemed_blocked = seems_blocked();
    siglongjmp(before_alarm, 1);
}

static void raise_trap(int signal)
{
    (void)signal;
    raise(SIGTRAP);
}

/* Checks that handlers block signals, that jumps out of them restore the mask, and that
 * sigsuspend() lets signals through. */
static void change_masks(void)
{
    struct sigaction alarm = {.sa_handler = leave_alarm, .sa_mask = trap};
    const struct itimerval soon = {.it_value.tv_usec = 10000};
    sigset_t none;

    sigemptyset(&none);
    if (seems_blocked() || sigaction(SIGALRM, &alarm, NULL))
        abort();
    if (!sigsetjmp(before_alarm, 1))
        raise(SIGALRM);
    if (!seemed_blocked || seems_blocked())
        abort();
    if (signal(SIGTRAP, heed_trap) == SIG_ERR || signal(SIGALRM, raise_trap) == SIG_ERR ||
        pthread_sigmask(SIG_SETMASK, &trap, NULL) || setitimer(ITIMER_REAL, &soon, NULL))
        abort();
    if (sigsuspend(&none) != -1 || traps_count != 1 || !seems_blocked() ||
        signal(SIGTRAP, SIG_DFL) != heed_trap)
        abort();
}

static void *thread_main(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        const int before = atomic_load(&meeting.generation);
        work(WORK);
        if (!seems_blocked())
            abort();
        if (!argument && i == SENT_IN && kill(getpid(), SIGTRAP))
            abort();
        if (!arrives_last(&meeting, THREADS))
            while (atomic_load(&meeting.generation) == before)
                pause_once();
    }
    return NULL;
}

static void *collector_main(void *unused)
{
    siginfo_t info;

    if (sigwaitinfo(&trap, &info) != SIGTRAP || info.si_pid != getpid())
        abort();
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS], collector;

    sigemptyset(&trap);
    sigaddset(&trap, SIGTRAP);
    change_masks();
    for (int i = 1; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, thread_main, threads))
            return 1;
    if (pthread_create(&collector, NULL, collector_main, NULL))
        return 1;
    thread_main(NULL);
    for (int i = 1; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(collector, NULL);
    puts("collected");
    return 0;
}
