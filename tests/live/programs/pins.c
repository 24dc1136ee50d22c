/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pins CPU THREADS: threads that compute, the first of which has pinned itself to the processor, as
 * programs with OMP_PROC_BIND do. End of input ends it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 64 };

static atomic_bool over;

static void *compute(void *argument)
{
    const int *cpu = argument;
    cpu_set_t set;

    if (cpu) {
        CPU_ZERO(&set);
        CPU_SET(*cpu, &set);
        sched_setaffinity(0, sizeof(set), &set);
    }
    while (!atomic_load_explicit(&over, memory_order_relaxed))
        ;
    return NULL;
}

int main(int argc, char **argv)
{
    int cpu = argc > 2 ? atoi(argv[1]) : 0;
    const int count = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t threads[THREADS_MAX];

    if (count < 1 || count > THREADS_MAX)
        return EXIT_FAILURE;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, compute, i == 0 ? &cpu : NULL))
            return EXIT_FAILURE;
    while (getchar() != EOF)
        ;
    over = 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return EXIT_SUCCESS;
}
