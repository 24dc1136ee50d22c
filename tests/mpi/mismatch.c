/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that ask for impossible things, or do not agree: each prints the error and the message
 * that it gets. For two ranks. */
#include "libjuggle/steal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void nothing(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
}

static void attempt(struct steal_runtime *runtime, const char *what, struct steal_properties wish)
{
    struct steal_collection *collection = NULL;
    int result;

    wish.size = sizeof(wish);
    result = steal_collection_create(runtime, &wish, &collection);
    printf("%s, rank %d: %d %s\n", what, steal_rank(runtime), result,
           result < 0 ? steal_message(runtime) : "ok");
    steal_collection_destroy(collection);
}

static void begin(int rank, const char *what, struct steal_options options)
{
    struct steal_runtime *runtime = NULL;
    struct steal_error error;
    int result;

    options.size = sizeof(options);
    result = steal_runtime_create(NULL, &options, &runtime, &error);
    printf("%s, rank %d: %d %s\n", what, rank, result, result < 0 ? error.message : "ok");
    steal_runtime_destroy(runtime);
}

/* Invalid places. */
static void misplace(int rank)
{
    const int coordinates[] = {1, 2, 3, 4, 5, 6, 7};

    begin(rank, "seven", (struct steal_options){.coordinates = coordinates, .dimensions = 7});
    begin(rank, "flat", (struct steal_options){.coordinates = coordinates, .dimensions = 1 + rank});
    begin(rank, "lost",
          (struct steal_options){.coordinates = coordinates, .dimensions = rank == 0 ? 2 : -2});
    begin(rank, "nowhere", (struct steal_options){.distances = "coordinates"});
    begin(rank, "places", (struct steal_options){.distances = rank == 0 ? "node" : "cache"});
    begin(rank, "shape", (struct steal_options){.distances = "torus:2x-2"});
    setenv("JUGGLE_DISTANCES", "far", 1);
    begin(rank, "far", (struct steal_options){0});
    unsetenv("JUGGLE_DISTANCES");
    setenv("JUGGLE_COORDINATES", rank == 0 ? "1,2" : "1,,2", 1);
    begin(rank, "comma", (struct steal_options){0});
    unsetenv("JUGGLE_COORDINATES");
}

int main(void)
{
    struct steal_runtime *runtime;
    struct steal_error error;
    steal_function function;

    if (steal_runtime_create(NULL, NULL, &runtime, &error) < 0) {
        fprintf(stderr, "mismatch: %s\n", error.message);
        return 1;
    }
    size_t rank = (size_t)steal_rank(runtime);
    misplace((int)rank);
    if (steal_function_register(runtime, "first", nothing, &function) < 0)
        return 1;
    attempt(runtime, "size",
            (struct steal_properties){.function = function, .task_size = 8 + rank});
    attempt(runtime, "chunk",
            (struct steal_properties){
                .function = function, .task_size = 8, .amount = STEAL_AMOUNT_K, .chunk = 1 + rank});
    attempt(runtime, "one",
            (struct steal_properties){.function = function, .task_size = rank == 0 ? 8 : 0});
    attempt(runtime, "radix",
            (struct steal_properties){
                .function = function, .task_size = 8, .lifelines = 1, .radix = 1});
    attempt(runtime, "tries",
            (struct steal_properties){
                .function = function, .task_size = 8, .lifelines = 1, .tries = -1});
    attempt(
        runtime, "exponent",
        (struct steal_properties){
            .function = function, .task_size = 8, .victim = STEAL_VICTIM_SKEWED, .exponent = -0.5});
    attempt(runtime, "same", (struct steal_properties){.function = function, .task_size = 8});
    if (steal_function_register(runtime, rank == 0 ? "second" : "third", nothing, &function) < 0)
        return 1;
    attempt(runtime, "names", (struct steal_properties){.function = function, .task_size = 8});
    steal_runtime_destroy(runtime);
    return 0;
}
