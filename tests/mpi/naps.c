/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks share a processor, and rank 1 waits for an answer of rank 0, which has a long task.
 * Prints whether rank 1 sleeps meanwhile. */
#include "libjuggle/ground/units.h"
#include "libjuggle/steal.h"

#include <sched.h>
#include <stdio.h>
#include <time.h>

static const int64_t TASK_NS = 50 * NSEC_PER_MSEC;

/* Ranks that wait in a collective call nap, but no longer than this. */
static const int64_t COLLECTIVE_NAP_NS = 200 * NSEC_PER_USEC;

static int64_t longest_ns;

/* The function of the C library that the runtime calls, too. */
int nanosleep(const struct timespec *length, struct timespec *left)
{
    longest_ns = max_i64(longest_ns, length->tv_sec * NSEC_PER_SEC + length->tv_nsec);
    return clock_nanosleep(CLOCK_MONOTONIC, 0, length, left) == 0 ? 0 : -1;
}

static int64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * NSEC_PER_SEC + time.tv_nsec;
}

static void compute(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    const int64_t end_ns = now() + TASK_NS;

    (void)worker, (void)local, (void)tasks, (void)count;
    while (now() < end_ns)
        continue;
}

static void share_processor(void)
{
    cpu_set_t own;
    int first = 0;

    if (sched_getaffinity(0, sizeof(own), &own))
        return;
    while (!CPU_ISSET(first, &own))
        first++;
    CPU_ZERO(&own);
    CPU_SET(first, &own);
    (void)!sched_setaffinity(0, sizeof(own), &own);
}

static int run(struct steal_runtime *runtime, struct steal_collection **collection)
{
    struct steal_properties properties = {.size = sizeof(properties), .task_size = sizeof(int64_t)};
    const int64_t task = 0;
    int result = steal_function_register(runtime, "compute", compute, &properties.function);

    if (result == 0)
        result = steal_collection_create(runtime, &properties, collection);
    if (result == 0 && steal_rank(runtime) == 0)
        result = steal_add(steal_seeder(runtime), *collection, &task, sizeof(task));
    longest_ns = 0;
    return result < 0 ? result : steal_process(*collection);
}

int main(void)
{
    struct steal_collection *collection = NULL;
    struct steal_runtime *runtime;
    struct steal_error error;
    int result;

    share_processor();
    if (steal_runtime_create(NULL, NULL, &runtime, &error) < 0)
        return fprintf(stderr, "%s\n", error.message), 1;
    result = run(runtime, &collection);
    if (result < 0)
        fprintf(stderr, "%s\n", steal_message(runtime));
    else if (steal_rank(runtime) == 1)
        puts(longest_ns > COLLECTIVE_NAP_NS ? "sleeps" : "yields");
    steal_collection_destroy(collection);
    return steal_runtime_destroy(runtime) < 0 || result < 0;
}
