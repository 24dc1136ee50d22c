/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spins SHAPE THREADS ROUNDS: threads that wait by spinning, in shapes of real programs. Prints how
 * many nanoseconds it took.
 *
 *   chunks  as ggml computes a graph: each round the threads take chunks from a shared counter, and
 *           meet at a counter around which they `pause`
 *
 *   sweep   simplified from NPB LU: each thread works through the planes of its columns, a plane
 *           once its left neighbor has done it; flags are read in a loop without `pause`
 *
 *   relay   as NPB LU really does it: there and back, and no thread is more than a plane ahead of
 *           the next one, so there are four such loops
 *
 *   teams   as BLIS does with threads of its own: `chunks` of eight times the work, by threads that
 *           live for eight rounds; also prints how many of them slept
 *
 *   spurts  the same by threads that live for four rounds
 */
#include "libjuggle/linux/clock.h"
#include "tests/live/programs/spinning.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { THREADS_MAX = 64, CHUNKS = 16, PLANES = 32, TEAM_ROUNDS = 8 };

/* Passes of the loop of work() in all of one round, about 0.4 ms. */
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
    struct flag back[THREADS_MAX];
    _Atomic int slept_count;
} all;

/* Aligned to cache lines of its own: a breakpoint slows code that shares its line
 * (docs/spinning.md). */
static __attribute__((noinline, aligned(64))) void meet(void)
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

static void chunks_do(long passes)
{
    while (atomic_fetch_add(&all.next_chunk, 1) < CHUNKS)
        work(passes / CHUNKS);
    meet();
}

static void round_chunks(int thread)
{
    (void)thread;
    chunks_do(ROUND_WORK);
}

static void round_team(int thread)
{
    (void)thread;
    chunks_do((long)TEAM_ROUNDS * ROUND_WORK);
}

/* No thread is more than a plane ahead of the thread that reads its flag. */
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

/* A plane has eight rows: the first needs the results of the thread before; the last waits until
 * the next thread has taken the results that are there. */
static inline void relay_plane(struct flag *from, struct flag *to)
{
    const long row_work = ROUND_WORK / 4 / 8 / all.threads_count;

    if (from)
        while (atomic_load_explicit(&from->done, memory_order_acquire) == 0)
            atomic_thread_fence(memory_order_seq_cst);
    work(row_work);
    if (from)
        atomic_store(&from->done, 0);
    work(6 * row_work);
    if (to)
        while (atomic_load_explicit(&to->done, memory_order_acquire) == 1)
            atomic_thread_fence(memory_order_seq_cst);
    work(row_work);
    if (to)
        atomic_store(&to->done, 1);
}

static __attribute__((noinline)) void relay_there(int thread)
{
    const bool is_last = thread == all.threads_count - 1;

    for (int plane = 0; plane < PLANES; plane++)
        relay_plane(thread ? &all.flags[thread - 1] : NULL, is_last ? NULL : &all.flags[thread]);
}

static __attribute__((noinline)) void relay_back(int thread)
{
    const bool is_last = thread == all.threads_count - 1;

    for (int plane = 0; plane < PLANES; plane++)
        relay_plane(is_last ? NULL : &all.back[thread + 1], thread ? &all.back[thread] : NULL);
}

static void round_relay(int thread)
{
    relay_there(thread);
    relay_back(thread);
}

static const struct {
    const char *name;
    void (*round)(int thread);
    int team_rounds; /* rounds that its threads live for; 0: all */
} shapes[] = {{"chunks", round_chunks, 0},
              {"sweep", round_sweep, 0},
              {"relay", round_relay, 0},
              {"teams", round_team, TEAM_ROUNDS},
              {"spurts", round_team, 4}};

static void *thread_main(void *argument)
{
    struct rusage usage;

    for (long i = 0; i < all.rounds_count; i++)
        all.round((int)(intptr_t)argument);
    if (!getrusage(RUSAGE_THREAD, &usage) && usage.ru_nvcsw)
        all.slept_count++;
    return NULL;
}

static void team_work(void)
{
    pthread_t threads[THREADS_MAX];

    for (intptr_t i = 1; i < all.threads_count; i++)
        if (pthread_create(&threads[i], NULL, thread_main, (void *)i))
            exit(1);
    for (long i = 0; i < all.rounds_count; i++)
        all.round(0);
    for (int i = 1; i < all.threads_count; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    long teams_count = 1;
    int team_rounds = 0;

    if (argc != 4)
        return 2;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        if (strcmp(argv[1], shapes[i].name) != 0)
            continue;
        all.round = shapes[i].round;
        team_rounds = shapes[i].team_rounds;
    }
    all.threads_count = atoi(argv[2]);
    all.rounds_count = atol(argv[3]);
    if (!all.round || all.threads_count < 1 || all.threads_count > THREADS_MAX)
        return 2;
    if (team_rounds) {
        teams_count = all.rounds_count / team_rounds;
        all.rounds_count = team_rounds;
    }
    const int64_t start_ns = clock_now_ns();
    for (long i = 0; i < teams_count; i++)
        team_work();
    printf("%lld\n", (long long)(clock_now_ns() - start_ns));
    if (team_rounds)
        printf("%d\n", all.slept_count);
    return 0;
}
