/* SPDX-License-Identifier: BSD-3-Clause */
/* late-crew THREADS DELAY_MS team|pool: computes in one thread for DELAY_MS, then in THREADS
 * threads: the first one and new ones, as OpenMP does (team), or new ones only, for which the first
 * one waits (pool). Prints the milliseconds from the creation of the last thread until all have
 * another mask than at first, and ends; prints "never" if they have none after two seconds. */
#include "libjuggle/linux/affinity.h"
#include "libjuggle/linux/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 64 };

#define LOOK_NS     (20 * NSEC_PER_USEC)
#define PATIENCE_NS (2 * NSEC_PER_SEC)

static struct {
    int threads_count;
    struct cpu_mask given;
    _Atomic int64_t complete_ns; /* when the last one was created; 0: not yet */
    _Atomic int64_t placed_ns;   /* when all were found placed; 0: not yet */
    atomic_int working_count;
    atomic_int tids[THREADS_MAX];
} all;

static void compute_for(int64_t duration_ns)
{
    const int64_t end_ns = clock_now_ns() + duration_ns;

    while (clock_now_ns() < end_ns)
        continue;
}

/* True if all threads have been placed. Any running thread looks at all of them, because those that
 * wait cannot look themselves. */
static bool are_placed(void)
{
    struct cpu_mask mask;
    int placed_count = 0;

    for (int i = 0; i < all.threads_count; i++)
        placed_count += all.tids[i] && !affinity_get(all.tids[i], &mask) &&
                        !cpu_mask_equal(&mask, &all.given);
    return placed_count == all.threads_count;
}

static bool is_late(void)
{
    return all.complete_ns && clock_now_ns() - all.complete_ns > PATIENCE_NS;
}

static void *work(void *unused)
{
    (void)unused;
    all.tids[all.working_count++] = gettid();
    while (!all.placed_ns && !is_late()) {
        compute_for(LOOK_NS);
        if (are_placed())
            all.placed_ns = clock_now_ns();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[THREADS_MAX];
    const bool team = argc == 4 && !strcmp(argv[3], "team");

    all.threads_count = argc == 4 ? atoi(argv[1]) : 0;
    if (all.threads_count < 2 || all.threads_count > THREADS_MAX || affinity_get(0, &all.given)) {
        fprintf(stderr, "usage: %s THREADS DELAY_MS team|pool\n", argv[0]);
        return 2;
    }
    compute_for(atoi(argv[2]) * NSEC_PER_MSEC);
    const int created_count = all.threads_count - team;
    for (int i = 0; i < created_count; i++) {
        const int64_t now_ns = clock_now_ns();
        if (pthread_create(&ids[i], NULL, work, NULL))
            return 1;
        if (i == created_count - 1)
            all.complete_ns = now_ns;
    }
    if (team)
        work(NULL);
    for (int i = 0; i < created_count; i++)
        pthread_join(ids[i], NULL);
    if (!all.placed_ns)
        puts("never");
    else
        printf("%.1f\n", (double)(all.placed_ns - all.complete_ns) / NSEC_PER_MSEC);
    return 0;
}
