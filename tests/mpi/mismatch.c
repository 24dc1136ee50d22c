/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that do not agree: each prints the error and the message that it gets. For two ranks. */
#include "libjuggle/steal.h"

#include <stdio.h>
#include <string.h>

static void nothing(struct steal_worker *worker, void *local, const void *tasks, size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
}

static void attempt(struct steal_runtime *runtime, const char *what,
                    const struct steal_properties *properties)
{
    struct steal_collection *collection = NULL;
    int result = steal_collection_create(runtime, properties, &collection);

    printf("%s, rank %d: %d %s\n", what, steal_rank(runtime), result,
           result < 0 ? steal_message(runtime) : "ok");
    steal_collection_destroy(collection);
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
    if (steal_function_register(runtime, "first", nothing, &function) < 0)
        return 1;
    attempt(runtime, "size",
            &(struct steal_properties){.function = function, .task_size = 8 + rank});
    attempt(runtime, "chunk",
            &(struct steal_properties){.function = function, .task_size = 8, .chunk = 1 + rank});
    attempt(runtime, "one",
            &(struct steal_properties){.function = function, .task_size = rank == 0 ? 8 : 0});
    attempt(runtime, "same", &(struct steal_properties){.function = function, .task_size = 8});
    if (steal_function_register(runtime, rank == 0 ? "second" : "third", nothing, &function) < 0)
        return 1;
    attempt(runtime, "names", &(struct steal_properties){.function = function, .task_size = 8});
    steal_runtime_destroy(runtime);
    return 0;
}
