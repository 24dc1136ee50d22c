/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * late THREADS: computing threads; a line on stdin makes each of them create a thread that only
 * sleeps, called "latecomer", which inherits its creator's mask. End of input ends the program.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { THREADS_MAX = 64 };

static atomic_bool asked, over;

static void *sleep_late(void *unused)
{
    prctl(PR_SET_NAME, "latecomer");
    pause();
    return unused;
}

static void *compute(void *unused)
{
    pthread_t late;

    while (!atomic_load_explicit(&asked, memory_order_relaxed))
        ;
    if (!pthread_create(&late, NULL, sleep_late, NULL))
        pthread_detach(late);
    while (!atomic_load_explicit(&over, memory_order_relaxed))
        ;
    return unused;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 0;
    pthread_t threads[THREADS_MAX];

    if (count < 1 || count > THREADS_MAX)
        return EXIT_FAILURE;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, compute, NULL))
            return EXIT_FAILURE;
    if (getchar() != EOF)
        asked = 1;
    while (getchar() != EOF)
        ;
    asked = over = 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return EXIT_SUCCESS;
}
