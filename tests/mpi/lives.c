/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runtimes that begin and end in ways that do not fit MPI's own life. Prints what each call
 * returned. Usage: lives SCENARIO (by the names below)
 */
#include "libjuggle/steal.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void tell(const char *what, int result, const char *message)
{
    printf("%s: %d%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? message : "");
    fflush(stdout);
}

static struct steal_runtime *create(const char *what, const void *comm,
                                    const struct steal_options *options)
{
    struct steal_runtime *runtime = NULL;
    struct steal_error error = {""};

    tell(what, steal_runtime_create(comm, options, &runtime, &error), error.message);
    return runtime;
}

static void once(void)
{
    steal_runtime_destroy(create("once", NULL, NULL));
}

static void again(void)
{
    steal_runtime_destroy(create("first", NULL, NULL));
    create("second", NULL, NULL);
}

static void corrected(void)
{
    const struct steal_options bad = {.size = sizeof(struct steal_options), .workers = -1};

    const struct steal_options lost = {.size = sizeof(struct steal_options), .distances = "far"};
    const struct steal_options flat = {
        .size = sizeof(struct steal_options), .coordinates = (const int[]){1}, .dimensions = 7};

    create("bad options", NULL, &bad);
    create("no such distances", NULL, &lost);
    create("too many dimensions", NULL, &flat);
    steal_runtime_destroy(create("corrected", NULL, NULL));
}

static void own_again(void)
{
    MPI_Init(NULL, NULL);
    steal_runtime_destroy(create("first", NULL, NULL));
    steal_runtime_destroy(create("second", NULL, NULL));
    MPI_Finalize();
    create("third", NULL, NULL);
}

static void outlived(void)
{
    int64_t one = 1;

    MPI_Init(NULL, NULL);
    struct steal_runtime *runtime = create("create", NULL, NULL);
    MPI_Finalize();
    tell("sum", steal_sum(runtime, &one, 1), steal_message(runtime));
    tell("destroy", steal_runtime_destroy(runtime), "");
}

static void self(void)
{
    MPI_Comm comm = MPI_COMM_SELF;

    MPI_Init(NULL, NULL);
    steal_runtime_destroy(create("self", &comm, NULL));
    MPI_Finalize();
}

/* Only rank 0 wants threads, for which MPI is not initialized. */
static void apart(void)
{
    struct steal_options options = {.size = sizeof(options)};
    int rank;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    options.mode = rank == 0 ? STEAL_MODE_THREADS : STEAL_MODE_POLLING;
    create("apart", NULL, &options);
    MPI_Finalize();
}

static const struct {
    const char *name;
    void (*play)(void);
} scenarios[] = {
    {"once", once},         {"again", again}, {"corrected", corrected}, {"own-again", own_again},
    {"outlived", outlived}, {"self", self},   {"apart", apart},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
        if (argc == 2 && strcmp(argv[1], scenarios[i].name) == 0)
            scenarios[i].play();
    return 0;
}
