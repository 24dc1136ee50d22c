/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts primes: a task is an interval, and a long one is cut in two. Compile with
 *     cc -O2 steal-primes.c -o steal-primes $(pkg-config --cflags --libs libjuggle-steal)
 * and run as
 *     mpirun -n 4 ./steal-primes
 * with the mpirun of the default MPI. The packages libjuggle-steal-mpich and
 * libjuggle-steal-openmpi of pkg-config are for one of the MPIs.
 */
#include <inttypes.h>
#include <juggle/steal.h>
#include <stdio.h>

enum { LIMIT = 2000000, GRAIN = 1000, WORKERS_MAX = 256 };

struct interval {
    uint64_t first;
    uint64_t last;
};

/* Each worker has its own count. */
struct count {
    struct steal_collection *intervals;
    struct {
        int64_t primes;
        int64_t pad[7];
    } worker[WORKERS_MAX];
};

static int is_prime(uint64_t n)
{
    if (n < 2)
        return 0;
    for (uint64_t d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return 1;
}

static void count_primes(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    struct count *state = local;
    const struct interval *interval = tasks;

    for (size_t i = 0; i < count; i++) {
        uint64_t first = interval[i].first;
        uint64_t last = interval[i].last;

        while (last - first > GRAIN) {
            struct interval upper = {first + (last - first) / 2, last};

            if (steal_add(worker, state->intervals, &upper, sizeof(upper)) < 0)
                break; /* no room: count it here */
            last = upper.first;
        }
        for (uint64_t n = first; n < last; n++)
            state->worker[steal_worker_index(worker)].primes += is_prime(n);
    }
}

int main(void)
{
    static struct count state;
    struct steal_error error;
    struct steal_runtime *runtime;
    struct steal_properties properties = {.size = sizeof(struct steal_properties),
                                          .task_size = sizeof(struct interval),
                                          .local = &state};
    struct interval all = {0, LIMIT};
    int64_t primes = 0;

    if (steal_runtime_create(NULL, NULL, &runtime, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    if (*steal_message(runtime))
        fprintf(stderr, "%s\n", steal_message(runtime));
    if (steal_function_register(runtime, "count primes", count_primes, &properties.function) < 0 ||
        steal_collection_create(runtime, &properties, &state.intervals) < 0)
        goto fail;
    if (steal_rank(runtime) == 0 &&
        steal_add(steal_seeder(runtime), state.intervals, &all, sizeof(all)) < 0)
        goto fail;
    if (steal_process(state.intervals) < 0)
        goto fail;
    for (int i = 0; i < steal_workers(runtime); i++)
        primes += state.worker[i].primes;
    if (steal_sum(runtime, &primes, 1) < 0)
        goto fail;
    if (steal_rank(runtime) == 0)
        printf("%" PRId64 " primes below %d\n", primes, LIMIT);
    steal_collection_destroy(state.intervals);
    steal_runtime_destroy(runtime);
    return 0;

fail:
    fprintf(stderr, "%s\n", steal_message(runtime));
    return 1;
}
