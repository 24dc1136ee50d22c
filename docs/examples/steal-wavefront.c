/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A grid of blocks. Each needs the block above it and the block to its left: its task waits for
 * the tasks of both, on whichever ranks they run. Compile with
 *     cc -O2 steal-wavefront.c -o steal-wavefront $(pkg-config --cflags --libs libjuggle-steal)
 * and run as
 *     mpirun -n 4 ./steal-wavefront
 */
#include <juggle/steal.h>
#include <stdio.h>

enum { EDGE = 60 };

static struct steal_collection *blocks;

static void compute(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    int64_t *done = steal_storage(worker, blocks);
    const uint64_t block = *(const uint64_t *)tasks;

    (void)local;
    *done += (int64_t)count; /* a real program computes the block here */
    if ((block % EDGE < EDGE - 1 && steal_count_down(worker, blocks, block + 1) < 0) ||
        (block / EDGE < EDGE - 1 && steal_count_down(worker, blocks, block + EDGE) < 0))
        steal_cancel(blocks); /* no memory */
}

/* Seeds blocks round-robin over the ranks. */
static int run(struct steal_runtime *runtime, int64_t *done)
{
    for (uint64_t i = (uint64_t)steal_rank(runtime); i < EDGE * EDGE;
         i += (uint64_t)steal_ranks(runtime))
        if (steal_add_waiting(steal_seeder(runtime), blocks, i, (i % EDGE > 0) + (i >= EDGE), &i,
                              sizeof(i)) < 0)
            return -1;
    if (steal_process(blocks) < 0)
        return -1;
    return steal_reduce(blocks, STEAL_REDUCTION_SUM, 0, 1, done);
}

int main(void)
{
    struct steal_properties properties = {.size = sizeof(properties), .waiting = 1};
    struct steal_runtime *runtime;
    struct steal_error error;
    int64_t done = 0;
    int result;

    properties.task_size = properties.storage = sizeof(uint64_t);
    if (steal_runtime_create(NULL, NULL, &runtime, &error) < 0)
        return fprintf(stderr, "%s\n", error.message), 1;
    result = steal_function_register(runtime, "compute", compute, &properties.function);
    if (result == 0)
        result = steal_collection_create(runtime, &properties, &blocks);
    if (result == 0)
        result = run(runtime, &done);
    if (result < 0)
        fprintf(stderr, "%s\n", steal_message(runtime));
    else if (steal_rank(runtime) == 0)
        printf("%d blocks\n", (int)done);
    steal_collection_destroy(blocks);
    return steal_runtime_destroy(runtime) < 0 || result < 0;
}
