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

enum { LIMIT = 2000000, GRAIN = 1000 };

struct interval {
    uint64_t first;
    uint64_t last;
};

static struct steal_collection *intervals;

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
    const struct interval *interval = tasks;
    int64_t *primes = steal_storage(worker, intervals); /* each worker has its own count */

    (void)local;
    for (size_t i = 0; i < count; i++) {
        uint64_t first = interval[i].first;
        uint64_t last = interval[i].last;

        while (last - first > GRAIN) {
            struct interval upper = {first + (last - first) / 2, last};

            if (steal_add(worker, intervals, &upper, sizeof(upper)) < 0)
                break; /* no room: count it here */
            last = upper.first;
        }
        for (uint64_t n = first; n < last; n++)
            *primes += is_prime(n);
    }
}

int main(void)
{
    struct steal_error error;
    struct steal_runtime *runtime;
    struct steal_properties properties = {.size = sizeof(struct steal_properties),
                                          .task_size = sizeof(struct interval),
                                          .storage = sizeof(int64_t)};
    struct interval all = {0, LIMIT};
    int64_t primes = 0;
    int status = 1;

    if (steal_runtime_create(NULL, NULL, &runtime, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    if (*steal_message(runtime))
        fprintf(stderr, "%s\n", steal_message(runtime));
    if (steal_function_register(runtime, "count primes", count_primes, &properties.function) < 0 ||
        steal_collection_create(runtime, &properties, &intervals) < 0)
        goto end;
    if (steal_rank(runtime) == 0 &&
        steal_add(steal_seeder(runtime), intervals, &all, sizeof(all)) < 0)
        goto end;
    if (steal_process(intervals) < 0)
        goto end;
    if (steal_reduce(intervals, STEAL_REDUCTION_SUM, 0, 1, &primes) < 0)
        goto end;
    if (steal_rank(runtime) == 0)
        printf("%" PRId64 " primes below %d\n", primes, LIMIT);
    status = 0;

end:
    if (status != 0)
        fprintf(stderr, "%s\n", steal_message(runtime));
    steal_collection_destroy(intervals);
    return steal_runtime_destroy(runtime) < 0 ? 1 : status;
}
