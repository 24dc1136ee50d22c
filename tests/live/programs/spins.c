/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that wait by spinning, in two shapes of real programs: spins SHAPE THREADS ROUNDS. Prints
 * the nanoseconds that it took.
 *
 *   chunks  as ggml computes a graph: each round the threads take chunks from a shared counter, and
 *           meet at a counter around which they `pause`
 *   sweep   as NPB LU does: each thread works through the planes of its columns, a plane once its
 *           left neighbor has done it; flags are read in a loop without `pause`
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS_MAX = 64, CHUNKS = 16, PLANES = 32 };

/* Passes of the loop of work() that a round has in all, about 0.4 ms. */
#define ROUND_WORK 320000

struct flag {
    _Alignas(64) _Atomic int done;
};

static struct {
    void (*round)(int thread);
    int threads_count;
    long rounds_count;
    _Atomic int next_chunk;
    _Atomic int arrived_count, generation;
    struct flag flags[THREADS_MAX];
} all;

static volatile uint64_t sink;

static void work(long passes)
{
    uint64_t value = 1;

    for (long i = 0; i < passes; i++) {
        value = value * UINT64_C(6364136223846793005) + 1;
        __asm__ volatile("" : "+r"(value));
    }
    sink = value;
}

static void pause_once(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void meet(void)
{
    const int generation = atomic_load(&all.generation);

    if (atomic_fetch_add(&all.arrived_count, 1) + 1 == all.threads_count) {
        atomic_store(&all.arrived_count, 0);
        atomic_store(&all.next_chunk, 0);
        atomic_fetch_add(&all.generation, 1);
        return;
    }
    while (atomic_load(&all.generation) == generation)
        pause_once();
}

static void round_chunks(int thread)
{
    (void)thread;
    while (atomic_fetch_add(&all.next_chunk, 1) < CHUNKS)
        work(ROUND_WORK / CHUNKS);
    meet();
}

/* Nobody is more than a plane ahead of who reads its flag. */
static void round_sweep(int thread)
{
    const int before = all.flags[thread].done;

    for (int plane = 1; plane <= PLANES; plane++) {
        if (thread > 0)
            while (all.flags[thread - 1].done < before + plane)
                ;
        work(ROUND_WORK / PLANES / all.threads_count);
        all.flags[thread].done = before + plane;
    }
    while (all.flags[all.threads_count - 1].done < before + PLANES)
        ;
}

static void *thread_main(void *argument)
{
    for (long i = 0; i < all.rounds_count; i++)
        all.round((int)(intptr_t)argument);
    return NULL;
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MAX];

    if (argc != 4)
        return 2;
    all.round = strcmp(argv[1], "chunks") ? round_sweep : round_chunks;
    all.threads_count = atoi(argv[2]);
    all.rounds_count = atol(argv[3]);
    if (all.threads_count < 1 || all.threads_count > THREADS_MAX)
        return 2;
    const int64_t start_ns = now_ns();
    for (intptr_t i = 1; i < all.threads_count; i++)
        if (pthread_create(&threads[i], NULL, thread_main, (void *)i))
            return 1;
    thread_main(NULL);
    for (int i = 1; i < all.threads_count; i++)
        pthread_join(threads[i], NULL);
    printf("%lld\n", (long long)(now_ns() - start_ns));
    return 0;
}
