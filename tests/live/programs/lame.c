/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lame CPUS CPU POLICY SECONDS: a thread for each of two processors, one of which is lame: a unit
 * of work takes twice as long there, as on a slower core. The program balances itself; its threads
 * report their units, and the units of both are printed.
 */
#include "libjuggle/juggle.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 2, UNIT_STEPS = 20000 };

static struct juggle *balancer;
static int lame_cpu;
static atomic_bool over;

static void do_unit(void)
{
    const int steps = sched_getcpu() == lame_cpu ? 2 * UNIT_STEPS : UNIT_STEPS;

    for (volatile int i = 0; i < steps; i++)
        ;
}

static void *work(void *count)
{
    struct juggle_thread *self;
    long units = 0;

    if (juggle_thread_create(balancer, 0, &self))
        exit(EXIT_FAILURE);
    for (; !atomic_load_explicit(&over, memory_order_relaxed); units++) {
        do_unit();
        juggle_progress(self, 1);
    }
    *(long *)count = units;
    juggle_thread_destroy(self);
    return NULL;
}

int main(int argc, char **argv)
{
    const struct timespec time = {.tv_sec = argc > 4 ? atoi(argv[4]) : 0};
    const struct juggle_options options = {
        .size = sizeof(struct juggle_options),
        .threads = THREADS,
        .cpus = argc > 4 ? argv[1] : NULL,
        .policy = argc > 4 ? argv[3] : NULL,
    };
    struct juggle_error error = {""};
    pthread_t threads[THREADS];
    long units[THREADS];

    if (juggle_create(0, &options, &balancer, &error) || juggle_start(balancer)) {
        fprintf(stderr, "%s\n", error.message);
        return EXIT_FAILURE;
    }
    lame_cpu = argc > 4 ? atoi(argv[2]) : -1;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, &units[i]))
            return EXIT_FAILURE;
    nanosleep(&time, NULL);
    over = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    juggle_destroy(balancer);
    printf("%ld %ld\n", units[0], units[1]);
    return EXIT_SUCCESS;
}
