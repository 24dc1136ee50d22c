/* SPDX-License-Identifier: BSD-3-Clause */
/* A runtime over MPI: from a communicator to what is known of the rank's node. */
#include "libjuggle/join/join.h"
#include "libjuggle/steal/runtime/runtime.h"
#include "libjuggle/steal/transport/binding.h"
#include "libjuggle/steal/transport/mpi_transport.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ranks that are bound each see their own processors: together they have all of them. */
static int survey_node(struct mpi_transport *mpi)
{
    MPI_Comm node;
    cpu_set_t own, all;
    int result;

    if (sched_getaffinity(0, sizeof(own), &own) < 0)
        return -errno;
    if (MPI_Comm_split_type(mpi->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) !=
        MPI_SUCCESS)
        return -EIO;
    result = status_of(MPI_Allreduce(&own, &all, sizeof(own), MPI_BYTE, MPI_BOR, node));
    mpi->transport.node = mpi->transport.rank;
    if (result == 0)
        result = status_of(
            MPI_Allreduce(MPI_IN_PLACE, &mpi->transport.node, 1, MPI_INT, MPI_MIN, node));
    MPI_Comm_size(node, &mpi->transport.neighbors);
    mpi->transport.processors = CPU_COUNT(&all);
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    binding_find(root, &own, &mpi->transport.cache, &mpi->transport.package);
    close(root);
    MPI_Comm_free(&node);
    return result;
}

/* What is wrong with a communicator, NULL if nothing is. */
static const char *comm_fault(MPI_Comm comm)
{
    int between_groups;

    if (comm == MPI_COMM_NULL)
        return "the communicator is MPI_COMM_NULL";
    if (MPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS)
        return "the communicator is not valid";
    return between_groups ? "an intercommunicator has two groups: merge them first" : NULL;
}

static int mpi_begin(struct mpi_transport *mpi, const void *comm, bool threads,
                     struct steal_error *error)
{
    int initialized, provided, is_main = 1;

    MPI_Initialized(&initialized);
    if (!initialized &&
        MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        snprintf(error->message, sizeof(error->message), "MPI cannot be initialized");
        return -EIO;
    }
    mpi->initialized_here = !initialized;
    MPI_Query_thread(&provided);
    MPI_Is_thread_main(&is_main);
    MPI_Comm given = comm ? *(const MPI_Comm *)comm : MPI_COMM_WORLD;
    const char *fault = comm_fault(given);
    if (fault) {
        snprintf(error->message, sizeof(error->message), "%s", fault);
        return -EINVAL;
    }
    if (MPI_Comm_dup(given, &mpi->comm) != MPI_SUCCESS) {
        snprintf(error->message, sizeof(error->message), "the communicator cannot be duplicated");
        return -EIO;
    }
    if (threads && (provided < MPI_THREAD_FUNNELED || !is_main)) {
        snprintf(error->message, sizeof(error->message),
                 "threads mode needs MPI_THREAD_FUNNELED and the thread that initialized MPI");
        return -EINVAL;
    }
    return 0;
}

/* Open MPI's launcher says so to the processes of a node that has fewer processors. */
static bool mpi_yields(void)
{
    const char *crowded = getenv("OMPI_MCA_mpi_oversubscribe");

    return crowded && strcmp(crowded, "1") == 0;
}

static int mpi_prepare(struct mpi_transport *mpi)
{
    int result;

    mpi->transport.yields = mpi_yields();
    MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi->comm, &mpi->transport.rank);
    MPI_Comm_size(mpi->comm, &mpi->transport.ranks);
    result = mailboxes_open(mpi);
    return result < 0 ? result : survey_node(mpi);
}

/* The launcher of another MPI starts ranks that do not find each other. */
static void warn_of_singletons(const struct mpi_transport *mpi, struct steal_runtime *runtime)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};
    int world;

    MPI_Comm_size(MPI_COMM_WORLD, &world);
    for (size_t i = 0; i < ARRAY_COUNT(sizes) && world == 1 && mpi->transport.ranks == 1; i++) {
        const char *text = getenv(sizes[i]);

        if (text && atoi(text) > 1) {
            runtime_fail(runtime, 0,
                         "this rank is alone, though %s ranks were started: is mpirun of the MPI "
                         "that the program was linked with?",
                         text);
            return;
        }
    }
}

/* That nobody balances the node is no failure. */
static void join_job(struct mpi_transport *mpi, struct steal_runtime *runtime)
{
    char problem[JOIN_PROBLEM_SIZE];

    if (join_as_wished(problem, &mpi->membership))
        runtime_fail(runtime, 0, "not balanced: %s", problem);
}

int steal_runtime_create(const void *comm, const struct steal_options *options,
                         struct steal_runtime **runtime, struct steal_error *error)
{
    struct mpi_transport *mpi = calloc(1, sizeof(*mpi));
    struct steal_error ignored;
    int result;

    if (!error)
        error = &ignored;
    error->message[0] = '\0';
    if (!mpi)
        return -ENOMEM;
    mpi->transport.ops = &mpi_transport_ops;
    mpi->transport.kernel_clock = true;
    mpi->comm = MPI_COMM_NULL;
    result = mpi_begin(mpi, comm, options && options->mode == STEAL_MODE_THREADS, error);
    if (result == 0)
        result = mpi_prepare(mpi);
    if (result < 0) {
        mpi_transport_ops.close(&mpi->transport);
        return result;
    }
    result = runtime_open(&mpi->transport, options, runtime, error);
    if (result == 0) {
        join_job(mpi, *runtime);
        warn_of_singletons(mpi, *runtime);
    }
    return result;
}
