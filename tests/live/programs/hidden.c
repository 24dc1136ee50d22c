/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hidden DIRECTORY: three threads that spin at barriers for ever, in a program that changes its
 * root directory to DIRECTORY, which has no /proc, when it gets a signal.
 */
#include "tests/live/programs/spinning.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 3, WORK = 300000 };

static struct meeting meeting;
static volatile sig_atomic_t told;

static void hear(int signal)
{
    (void)signal;
    told = 1;
}

static void meet(void)
{
    const int before = atomic_load(&meeting.generation);

    if (arrives_last(&meeting, THREADS))
        return;
    while (atomic_load(&meeting.generation) == before)
        pause_once();
}

static void hide(const char *directory)
{
    told = 0;
    puts(chdir(directory) || chroot(".") ? "seen" : "hidden");
    fflush(stdout);
}

static void *thread_main(void *directory)
{
    for (;;) {
        work(WORK);
        if (directory && told)
            hide(directory);
        meet();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;

    if (argc != 2 || signal(SIGUSR1, hear) == SIG_ERR)
        return 2;
    for (int i = 1; i < THREADS; i++)
        if (pthread_create(&thread, NULL, thread_main, NULL))
            return 1;
    thread_main(argv[1]);
    return 0;
}
