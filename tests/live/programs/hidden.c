/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three threads that spin at barriers for ever, in a program that changes its root directory to one
 * without /proc when a signal says so: hidden DIRECTORY.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 3, WORK = 300000 };

static _Atomic int arrived_count, generation;
static volatile uint64_t sink;
static volatile sig_atomic_t told;

static void hear(int signal)
{
    (void)signal;
    told = 1;
}

static void work(void)
{
    uint64_t value = 1;

    for (int i = 0; i < WORK; i++) {
        value = value * UINT64_C(6364136223846793005) + 1;
        __asm__ volatile("" : "+r"(value));
    }
    sink = value;
}

static void pause_a_moment(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void meet(void)
{
    const int before = atomic_load(&generation);

    if (atomic_fetch_add(&arrived_count, 1) + 1 == THREADS) {
        atomic_store(&arrived_count, 0);
        atomic_fetch_add(&generation, 1);
        return;
    }
    while (atomic_load(&generation) == before)
        pause_a_moment();
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
        work();
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
