/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * starters COUNT: COUNT threads named "rank", which compute, and after them COUNT threads named
 * "progress", which compute while the program starts and then hardly ever. MPI ranks look like
 * this. Ends at the end of its input.
 */
#include "libjuggle/linux/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT_MAX = 64, START_NS = 60000000, NAP_US = 20000, BRIEF_NS = 400000 };

static atomic_bool over;

static void compute(long duration_ns)
{
    const int64_t end_ns = clock_spent_ns() + duration_ns;

    while (!over && clock_spent_ns() < end_ns)
        continue;
}

static void *rank(void *unused)
{
    pthread_setname_np(pthread_self(), "rank");
    while (!over)
        compute(START_NS);
    return unused;
}

static void *progress(void *unused)
{
    pthread_setname_np(pthread_self(), "progress");
    compute(START_NS);
    while (!over) {
        usleep(NAP_US);
        compute(BRIEF_NS);
    }
    return unused;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t threads[2 * COUNT_MAX];

    if (count < 1 || count > COUNT_MAX)
        return EXIT_FAILURE;
    for (int i = 0; i < 2 * count; i++)
        if (pthread_create(&threads[i], NULL, i < count ? rank : progress, NULL))
            return EXIT_FAILURE;
    while (getchar() != EOF)
        ;
    over = true;
    for (int i = 0; i < 2 * count; i++)
        pthread_join(threads[i], NULL);
    return EXIT_SUCCESS;
}
