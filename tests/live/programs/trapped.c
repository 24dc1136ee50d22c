/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three threads that spin at barriers, in a program that does something with signals or processes
 * of its own: trapped SHAPE. Prints the shape if all is as it would be without a balancer.
 *
 *   plain    nothing
 *   urgent   handles SIGURG, and counts those that no socket has sent: they do no harm
 *   blocked  its threads block all signals
 *   trap     has a handler of SIGTRAP, which is called for its own
 *   raise    ends by a SIGTRAP of its own
 *   fork     children are born meanwhile, and spin for a moment
 *   exec     becomes another program, whose signals are as they were
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 900, WORK = 600000, CHILDREN = 10 };

static const char *shape;
static _Atomic int arrived_count, generation;
static volatile sig_atomic_t traps_count;
static volatile uint64_t sink;

static bool is_shape(const char *name)
{
    return !strcmp(shape, name);
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

static void meet(void)
{
    const int before = atomic_load(&generation);

    if (atomic_fetch_add(&arrived_count, 1) + 1 == THREADS) {
        atomic_store(&arrived_count, 0);
        atomic_fetch_add(&generation, 1);
        return;
    }
    while (atomic_load(&generation) == before)
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#else
        continue;
#endif
}

/* A child has one thread, for which there is nobody to wait. */
static void bear_child(void)
{
    const pid_t pid = fork();

    if (pid == 0) {
        work();
        _exit(0);
    }
    if (pid > 0 && waitpid(pid, NULL, 0) != pid)
        abort();
}

static void *thread_main(void *argument)
{
    sigset_t all;

    sigfillset(&all);
    if (is_shape("blocked"))
        pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        work();
        if (!argument && is_shape("fork") && i % (ROUNDS / CHILDREN) == ROUNDS / CHILDREN - 1)
            bear_child();
        meet();
    }
    return NULL;
}

static void heed(int signal)
{
    traps_count += signal == SIGTRAP;
}

static void prepare(void)
{
    if (is_shape("urgent"))
        signal(SIGURG, heed);
    if (is_shape("trap"))
        signal(SIGTRAP, heed);
}

/* True if the signals of this program are as they are in any. */
static bool is_untouched(void)
{
    struct sigaction trap, urgent;
    sigset_t blocked;

    return !sigaction(SIGTRAP, NULL, &trap) && trap.sa_handler == SIG_DFL &&
           !sigaction(SIGURG, NULL, &urgent) && urgent.sa_handler != SIG_IGN &&
           !sigprocmask(SIG_BLOCK, NULL, &blocked) && !sigismember(&blocked, SIGURG);
}

static int finish(char **argv)
{
    if (is_shape("trap") && (raise(SIGTRAP) || traps_count != 1))
        return 1;
    if (is_shape("exec"))
        return execl(argv[0], argv[0], "executed", (char *)NULL);
    puts(shape);
    fflush(stdout);
    return is_shape("raise") ? raise(SIGTRAP) : 0;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    if (argc != 2)
        return 2;
    shape = argv[1];
    if (is_shape("executed"))
        return is_untouched() && puts("exec") >= 0 ? 0 : 1;
    prepare();
    for (intptr_t i = 1; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, thread_main, (void *)i))
            return 1;
    thread_main(NULL);
    for (int i = 1; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return finish(argv);
}
