/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lineage LINES MS: threads, LINES at a time, that compute for MS milliseconds or a few times that,
 * create their successor, which inherits their mask, and end. Runs until it is killed; the first
 * thread ends at once.
 */
#include "libjuggle/linux/clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

enum { LINES_MAX = 64, LIFE_STEPS = 8, NS_PER_MS = 1000000, STACK_SIZE = 65536 };

static pthread_attr_t attributes;
static long least_ns;

static void compute(long life_ns)
{
    const int64_t end_ns = clock_spent_ns() + life_ns;

    while (clock_spent_ns() < end_ns)
        continue;
}

/* The lifetimes differ, so that the threads do not end at the same time. */
static void *live(void *context)
{
    const uintptr_t generation = (uintptr_t)context;
    pthread_t successor;

    compute(least_ns + (long)(generation % LIFE_STEPS) * (least_ns / 2));
    while (pthread_create(&successor, &attributes, live, (void *)(generation + 1)))
        sched_yield();
    return NULL;
}

int main(int argc, char **argv)
{
    const int lines_count = argc > 1 ? atoi(argv[1]) : 0;

    least_ns = argc > 2 ? atol(argv[2]) * NS_PER_MS : 0;
    if (lines_count < 1 || least_ns < 1 || lines_count > LINES_MAX ||
        pthread_attr_init(&attributes) ||
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) ||
        pthread_attr_setstacksize(&attributes, STACK_SIZE))
        return EXIT_FAILURE;
    for (int line = 0; line < lines_count; line++) {
        pthread_t first;
        if (pthread_create(&first, &attributes, live, (void *)(uintptr_t)(line * 3)))
            return EXIT_FAILURE;
    }
    pthread_exit(NULL);
}
