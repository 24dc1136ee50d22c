/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * churn WORKERS TOTAL: starts workers that compute, and beside them TOTAL threads that are created,
 * compute briefly and are joined, a few at a time. Prints "joined TOTAL".
 */
#include "libjuggle/linux/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORKERS_MAX = 64, BATCH = 4, SPIN_NS = 200000 };

static atomic_bool over;

static void *compute(void *unused)
{
    while (!atomic_load_explicit(&over, memory_order_relaxed))
        ;
    return unused;
}

static void *spin(void *unused)
{
    const int64_t end_ns = clock_spent_ns() + SPIN_NS;

    while (clock_spent_ns() < end_ns)
        continue;
    return unused;
}

int main(int argc, char **argv)
{
    const int workers_count = argc > 2 ? atoi(argv[1]) : 0;
    const int total = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t workers[WORKERS_MAX], batch[BATCH];
    int joined = 0;

    if (workers_count < 0 || workers_count > WORKERS_MAX)
        return EXIT_FAILURE;
    for (int i = 0; i < workers_count; i++)
        if (pthread_create(&workers[i], NULL, compute, NULL))
            return EXIT_FAILURE;
    while (joined < total) {
        int created = 0;
        while (created < BATCH && joined + created < total &&
               !pthread_create(&batch[created], NULL, spin, NULL))
            created++;
        for (int i = 0; i < created; i++)
            joined += !pthread_join(batch[i], NULL);
    }
    over = 1;
    for (int i = 0; i < workers_count; i++)
        pthread_join(workers[i], NULL);
    printf("joined %d\n", joined);
    return EXIT_SUCCESS;
}
