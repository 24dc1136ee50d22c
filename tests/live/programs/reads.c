/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reads THREADS COUNT: threads that compute and read their own masks, as nproc, hwloc and OpenMP's
 * places do, until the first thread has done so COUNT times. Prints the number of reads, and how
 * many found a mask that differs from the first.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 64, PAUSE = 2000 };

static atomic_long reads_count, others_count;
static atomic_bool over;
static cpu_set_t given;

static void *read_masks(void *argument)
{
    const long *count = argument;
    cpu_set_t set;

    for (long i = 0; !over; i++) {
        if (sched_getaffinity(0, sizeof(set), &set) == 0) {
            reads_count++;
            others_count += !CPU_EQUAL(&set, &given);
        }
        for (volatile int pause = 0; pause < PAUSE; pause++)
            ;
        if (count && i + 1 >= *count)
            over = 1;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = argc > 2 ? atoi(argv[1]) : 0;
    long count = argc > 2 ? atol(argv[2]) : 0;
    pthread_t others[THREADS_MAX];

    if (threads < 1 || threads > THREADS_MAX || count < 1)
        return EXIT_FAILURE;
    sched_getaffinity(0, sizeof(given), &given);
    for (int i = 1; i < threads; i++)
        if (pthread_create(&others[i], NULL, read_masks, NULL))
            return EXIT_FAILURE;
    read_masks(&count);
    for (int i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    printf("%ld %ld\n", (long)reads_count, (long)others_count);
    return EXIT_SUCCESS;
}
