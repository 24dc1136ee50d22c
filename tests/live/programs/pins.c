/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pins CPU THREADS [DELAY_MS]: threads that compute. After the delay (0) the first one pins itself
 * to the processor, as programs with OMP_PROC_BIND do. The end of the input ends the program; it
 * prints how often the pinned thread found itself on another processor.
 */
#include "libjuggle/linux/clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 64 };

static atomic_bool over;

struct pinned {
    int cpu;
    int delay_ms;
    int64_t elsewhere_count;
};

static void *compute(void *unused)
{
    while (!atomic_load_explicit(&over, memory_order_relaxed))
        ;
    return unused;
}

static void *compute_pinned(void *argument)
{
    struct pinned *pinned = argument;
    const int64_t begin_ns = clock_now_ns() + pinned->delay_ms * NSEC_PER_MSEC;
    cpu_set_t set;

    while (clock_now_ns() < begin_ns)
        ;
    CPU_ZERO(&set);
    CPU_SET(pinned->cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
    while (!atomic_load_explicit(&over, memory_order_relaxed))
        pinned->elsewhere_count += sched_getcpu() != pinned->cpu;
    return NULL;
}

int main(int argc, char **argv)
{
    struct pinned pinned = {
        .cpu = argc > 2 ? atoi(argv[1]) : 0,
        .delay_ms = argc > 3 ? atoi(argv[3]) : 0,
    };
    const int count = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t threads[THREADS_MAX];

    if (count < 1 || count > THREADS_MAX)
        return EXIT_FAILURE;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, i == 0 ? compute_pinned : compute, &pinned))
            return EXIT_FAILURE;
    while (getchar() != EOF)
        ;
    over = 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("%lld\n", (long long)pinned.elsewhere_count);
    return EXIT_SUCCESS;
}
