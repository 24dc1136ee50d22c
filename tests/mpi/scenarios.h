/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenarios that a program plays one after the other on two ranks. Each prints what its calls
 * returned. */
#ifndef JUGGLE_TESTS_MPI_SCENARIOS_H
#define JUGGLE_TESTS_MPI_SCENARIOS_H

#include "libjuggle/steal.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static struct steal_runtime *runtime;
static struct steal_collection *first, *second;
static const char *scenario; /* printed before each line */
static int rank;

struct scenario {
    const char *name;
    void (*play)(void);
};

static inline void tell(const char *what, int result)
{
    printf("%s: rank %d, %s: %d%s%s\n", scenario, rank, what, result, result < 0 ? " " : "",
           result < 0 ? steal_message(runtime) : "");
    fflush(stdout);
}

static inline void nothing(struct steal_worker *worker, void *local, const void *tasks,
                           size_t count)
{
    (void)worker, (void)local, (void)tasks, (void)count;
}

/* The task that holds 1 cancels. */
static inline void cancel_one(struct steal_worker *worker, void *local, const void *tasks,
                              size_t count)
{
    struct steal_collection **collection = local;
    const int64_t *task = tasks;

    (void)worker, (void)count;
    if (*task == 1 && steal_cancel(*collection) < 0)
        fprintf(stderr, "canceling was refused\n");
}

/* Tasks are integers unless another size is wished. */
static inline int open_collection(struct steal_properties properties, const char *name,
                                  steal_exec *exec, struct steal_collection **collection)
{
    const int result = steal_function_register(runtime, name, exec, &properties.function);

    properties.size = sizeof(properties);
    if (properties.task_size == 0)
        properties.task_size = sizeof(int64_t);
    return result < 0 ? result : steal_collection_create(runtime, &properties, collection);
}

static inline int play(void (*scenario_play)(void))
{
    const struct steal_properties properties = {.local = &second};
    const struct steal_options options = {.size = sizeof(struct steal_options), .trace_events = 16};
    struct steal_error error;

    if (steal_runtime_create(NULL, &options, &runtime, &error) < 0)
        return 1;
    rank = steal_rank(runtime);
    if (*steal_message(runtime))
        printf("warning: %s\n", steal_message(runtime));
    if (open_collection(properties, "first", nothing, &first) < 0 ||
        open_collection(properties, "second", cancel_one, &second) < 0)
        return 1;
    scenario_play();
    steal_collection_destroy(second);
    steal_collection_destroy(first);
    return steal_runtime_destroy(runtime) < 0;
}

/* Plays the scenarios that are named, with a new runtime for each. */
static inline int play_all(char **names, const struct scenario *scenarios, size_t count)
{
    int failed = 0;

    MPI_Init(NULL, NULL);
    for (; *names; names++) {
        scenario = *names;
        for (size_t k = 0; k < count; k++)
            if (strcmp(scenario, scenarios[k].name) == 0)
                failed |= play(scenarios[k].play);
    }
    MPI_Finalize();
    return failed;
}

#endif
