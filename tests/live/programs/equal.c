/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * equal THREADS SECONDS: threads that only compute, without barriers, until the time is over. Their
 * progress is therefore equal only if a balancer makes it so. The main thread waits.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS_MAX = 64 };

static atomic_bool over;

/* The loop computes, because a loop that only looked would be one that waits. */
static void *compute(void *unused)
{
    unsigned value = 1;

    while (!atomic_load_explicit(&over, memory_order_relaxed)) {
        value = value * 1103515245 + 12345;
        __asm__ volatile("" : "+r"(value));
    }
    return unused;
}

int main(int argc, char **argv)
{
    const int count = argc > 2 ? atoi(argv[1]) : 0;
    const double seconds = argc > 2 ? atof(argv[2]) : 0;
    const struct timespec time = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    pthread_t threads[THREADS_MAX];

    if (count < 1 || count > THREADS_MAX)
        return EXIT_FAILURE;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, compute, NULL))
            return EXIT_FAILURE;
    nanosleep(&time, NULL);
    over = 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return EXIT_SUCCESS;
}
