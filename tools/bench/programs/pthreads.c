/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of kernels.h in threads with a barrier after each step. They sleep in
 * pthread_barrier_wait, or spin if SPIN is set in the environment. Their number is $THREADS (3). */
#include "tools/bench/programs/arguments.h"
#include "tools/bench/programs/kernels.h"

#include <pthread.h>
#include <stdatomic.h>

static struct {
    struct arguments arguments;
    int threads_count;
    double *now, *next;
    pthread_barrier_t barrier;
    int spins;
    atomic_int arrived, round;
} all;

static void meet_spinning(void)
{
    const int round = all.round;

    if (++all.arrived == all.threads_count) {
        all.arrived = 0;
        all.round++;
    } else {
        while (all.round == round)
            continue;
    }
}

static void meet(void)
{
    if (all.spins)
        meet_spinning();
    else
        pthread_barrier_wait(&all.barrier);
}

static void *work(void *argument)
{
    const int index = *(const int *)argument;
    const struct share share = share_of(all.arguments.items, index, all.threads_count);

    for (int i = 0; i < all.arguments.steps; i++) {
        const double *now = i % 2 ? all.next : all.now;
        double *next = i % 2 ? all.now : all.next;
        switch (all.arguments.part) {
        case PART_HEAT:
            heat_step(now, next, all.arguments.items, share);
            break;
        case PART_BAND:
            band_multiply(all.now, all.next, all.arguments.items, share);
            break;
        case PART_BODIES:
            draw_bodies(all.now, all.next, all.arguments.items, share);
            break;
        }
        meet();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *threads = getenv("THREADS");
    pthread_t ids[64];
    int indexes[64];

    all.arguments = arguments_read(argc, argv);
    all.threads_count = threads ? atoi(threads) : 3;
    all.spins = getenv("SPIN") != NULL;
    all.now = calloc((size_t)all.arguments.items, sizeof(*all.now));
    all.next = calloc((size_t)all.arguments.items, sizeof(*all.next));
    if (!all.now || !all.next || all.threads_count < 1 || all.threads_count > 64)
        return 1;
    fill(all.now, all.arguments.items);
    pthread_barrier_init(&all.barrier, NULL, (unsigned)all.threads_count);
    for (int i = 0; i < all.threads_count; i++) {
        indexes[i] = i;
        if (pthread_create(&ids[i], NULL, work, &indexes[i]))
            return 1;
    }
    for (int i = 0; i < all.threads_count; i++)
        pthread_join(ids[i], NULL);
    printf("%.9g\n", all.next[all.arguments.items / 2]);
    return 0;
}
