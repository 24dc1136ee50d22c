/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three threads that spin at barriers, and from the middle of the run on may not do, while they
 * spin, what a handler would do in their place: barred SHAPE. Prints the shape at the end.
 *
 *   clock   no thread may read the processor's clock
 *
 *   calls   a system call of a thread that spins is a signal, as of Windows programs under Wine
 */
#include "tests/live/programs/spinning.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum {
    THREADS = 3,
    ROUNDS = 300,
    WORK = 600000,
    BARRED_FROM = ROUNDS / 2,
    CALLS_ALLOWED = 0,
    CALLS_BARRED = 1
};

static struct meeting meeting;
static const char *shape;
static _Thread_local volatile char calls = CALLS_ALLOWED; /* the kernel reads it at each call */

static void bar(void)
{
    if (!strcmp(shape, "clock") && prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
        abort();
    if (!strcmp(shape, "calls") &&
        prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &calls))
        abort();
}

static void *thread_main(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (i == BARRED_FROM)
            bar();
        work(WORK);
        const int before = atomic_load(&meeting.generation);
        if (arrives_last(&meeting, THREADS))
            continue;
        calls = i < BARRED_FROM ? CALLS_ALLOWED : CALLS_BARRED;
        while (atomic_load(&meeting.generation) == before)
            pause_once();
        calls = CALLS_ALLOWED;
    }
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    if (argc != 2)
        return 2;
    shape = argv[1];
    for (int i = 1; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, thread_main, NULL))
            return 1;
    thread_main(NULL);
    for (int i = 1; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    puts(shape);
    return 0;
}
