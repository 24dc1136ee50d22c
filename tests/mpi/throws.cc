// SPDX-License-Identifier: BSD-3-Clause
// An exception leaves a task of rank 0. Usage: throws polling|threads
#include "libjuggle/steal.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>

static bool armed = true;

static void fail(struct steal_worker *, void *, const void *, size_t)
{
    if (armed)
        throw std::runtime_error("a task failed");
}

static int process(struct steal_runtime *runtime, struct steal_collection *collection)
{
    const long long task = 0;

    if (steal_rank(runtime) == 0 && steal_add(steal_seeder(runtime), collection, &task, sizeof(task)) < 0)
        return 1;
    try {
        std::printf("rank %d: %d\n", steal_rank(runtime), steal_process(collection));
    } catch (const std::exception &caught) {
        std::printf("rank %d caught: %s\n", steal_rank(runtime), caught.what());
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct steal_options options;
    struct steal_properties properties;
    struct steal_runtime *runtime;
    struct steal_collection *collection;

    if (argc != 2)
        return 1;
    STEAL_INIT(&options);
    STEAL_INIT(&properties);
    options.mode = std::strcmp(argv[1], "threads") ? STEAL_MODE_POLLING : STEAL_MODE_THREADS;
    options.workers = options.mode == STEAL_MODE_THREADS;
    properties.task_size = sizeof(long long);
    properties.isolate = 1;
    if (steal_runtime_create(nullptr, &options, &runtime, nullptr) < 0 ||
        steal_function_register(runtime, "fail", fail, &properties.function) < 0 ||
        steal_collection_create(runtime, &properties, &collection) < 0)
        return 1;
    int result = process(runtime, collection);
    armed = false;
    result |= process(runtime, collection);
    steal_collection_destroy(collection);
    steal_runtime_destroy(runtime);
    return result;
}
