/* SPDX-License-Identifier: BSD-3-Clause */
/* A runtime over MPI: from a communicator to what is known of the rank's node. */
#include "libjuggle/join/join.h"
#include "libjuggle/steal/runtime/runtime.h"
#include "libjuggle/steal/transport/binding.h"
#include "libjuggle/steal/transport/mpi_transport.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets of as many processors as the kernel can be built for: it refuses smaller ones. */
enum { CPU_SETS = 8192 / CPU_SETSIZE };

/* The least rank of the node, where its first one counts as 0. */
static int first_of_node(const struct mpi_transport *mpi)
{
    const int first = 0;
    MPI_Group all, node;
    int rank;

    MPI_Comm_group(mpi->comm, &all);
    MPI_Comm_group(mpi->node, &node);
    MPI_Group_translate_ranks(node, 1, &first, all, &rank);
    MPI_Group_free(&node);
    MPI_Group_free(&all);
    return rank;
}

/* Ranks that are bound each see their `own` processors: together they have all of them. */
static int survey_node(struct mpi_transport *mpi, const cpu_set_t own[CPU_SETS])
{
    const size_t size = CPU_SETS * sizeof(*own);
    cpu_set_t all[CPU_SETS];
    MPI_Request request;

    if (MPI_Comm_split_type(mpi->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &mpi->node) !=
        MPI_SUCCESS)
        return -EIO;
    MPI_Comm_set_errhandler(mpi->node, MPI_ERRORS_RETURN);
    MPI_Comm_size(mpi->node, &mpi->transport.neighbors);
    mpi->transport.processors = CPU_COUNT_S(size, own);
    if (MPI_Iallreduce(own, all, (int)size, MPI_BYTE, MPI_BOR, mpi->node, &request) !=
            MPI_SUCCESS ||
        mpi_await(mpi, &request) < 0)
        return -EIO;
    mpi->transport.node = first_of_node(mpi);
    mpi->transport.processors = CPU_COUNT_S(size, all);
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    binding_find(root, own, size, &mpi->transport.cache, &mpi->transport.package);
    close(root);
    return 0;
}

__attribute__((format(printf, 3, 4))) static int error_say(struct steal_error *error, int code,
                                                           const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error->message, sizeof(error->message), format, arguments);
    va_end(arguments);
    return code;
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

/* How many ranks the launcher says that it started, by the variable `*name`; 0 if it says nothing.
 * SLURM_NTASKS is not among them: a batch script has it, too. */
static int launched_ranks(const char **name)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                        "JSM_NAMESPACE_SIZE", "SLURM_STEP_NUM_TASKS"};
    const char *text;

    for (size_t i = 0; i < ARRAY_COUNT(sizes); i++)
        if ((text = getenv(*name = sizes[i])) && atoi(text) > 1)
            return atoi(text);
    text = getenv(*name = "PMIX_RANK");
    return text ? atoi(text) + 1 : 0;
}

/* The launcher of another MPI starts ranks that do not find each other: each would do all the work.
 * A program that gives MPI_COMM_SELF, or says so in the environment, wants just that. */
static int check_launcher(MPI_Comm given, struct steal_error *error)
{
    const char *wish = getenv("JUGGLE_ALONE"), *name;
    int world;

    MPI_Comm_size(MPI_COMM_WORLD, &world);
    if (world > 1 || given == MPI_COMM_SELF || (wish && strcmp(wish, "1") == 0))
        return 0;
    const int ranks = launched_ranks(&name);
    if (ranks <= 1)
        return 0;
    return error_say(error, -EINVAL,
                     "this rank is alone, though %s=%s says that there are more: start the program "
                     "with mpirun of the MPI that it was linked with, or set JUGGLE_ALONE=1",
                     name, getenv(name));
}

static int mpi_initialize(struct mpi_transport *mpi, const struct steal_options *given,
                          struct steal_error *error)
{
    struct steal_options options;
    int initialized, finalized, provided;

    MPI_Finalized(&finalized);
    if (finalized)
        return error_say(error, -EINVAL,
                         "MPI has been finalized, and cannot be initialized again: a program with "
                         "several runtimes, one after the other, initializes MPI itself");
    MPI_Initialized(&initialized);
    if (initialized)
        return 0;
    /* While MPI is not touched, the program can correct its options and try again. */
    const int result = options_resolve(given, mpi->transport.settings, &options, error->message);
    if (result < 0)
        return result;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return error_say(error, -EIO, "MPI cannot be initialized");
    mpi->initialized_here = true;
    return 0;
}

/* Where the options are wrong, opening the runtime says so on all ranks. */
static bool wants_threads(const struct mpi_transport *mpi, const struct steal_options *given)
{
    char message[STEAL_MESSAGE_MAX];
    struct steal_options options;

    return options_resolve(given, mpi->transport.settings, &options, message) == 0 &&
           options.mode == STEAL_MODE_THREADS;
}

static int mpi_begin(struct mpi_transport *mpi, const void *comm,
                     const struct steal_options *options, struct steal_error *error)
{
    int result = mpi_initialize(mpi, options, error);

    if (result < 0)
        return result;
    MPI_Comm given = comm ? *(const MPI_Comm *)comm : MPI_COMM_WORLD;
    const char *fault = comm_fault(given);
    if (fault)
        return error_say(error, -EINVAL, "%s", fault);
    result = check_launcher(given, error);
    if (result < 0)
        return result;
    if (MPI_Comm_dup(given, &mpi->comm) != MPI_SUCCESS)
        return error_say(error, -EIO, "the communicator cannot be duplicated");
    MPI_Comm_set_errhandler(mpi->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi->comm, &mpi->transport.rank);
    MPI_Comm_size(mpi->comm, &mpi->transport.ranks);
    return 0;
}

static int check_threads(const struct mpi_transport *mpi, const struct steal_options *options,
                         struct steal_error *error)
{
    int provided, is_main;

    MPI_Query_thread(&provided);
    MPI_Is_thread_main(&is_main);
    if ((provided >= MPI_THREAD_FUNNELED && is_main) || !wants_threads(mpi, options))
        return 0;
    return error_say(error, -EINVAL,
                     "threads mode needs MPI_THREAD_FUNNELED and the thread that initialized MPI");
}

/* Open MPI's launcher says so to the processes of a node that has fewer processors. */
static bool mpi_yields(void)
{
    const char *crowded = getenv("OMPI_MCA_mpi_oversubscribe");

    return crowded && strcmp(crowded, "1") == 0;
}

/* A rank that left alone would leave the others waiting. `status` is how far this one has come. The
 * node comes first: where its ranks share processors they sleep from then on while they wait. */
static int mpi_prepare(struct mpi_transport *mpi, const struct steal_options *options, int status,
                       struct steal_error *error)
{
    cpu_set_t own[CPU_SETS];
    int surveyed;

    memset(own, 0, sizeof(own));
    mpi->transport.yields = mpi_yields();
    if (status == 0)
        status = check_threads(mpi, options, error);
    if (status == 0)
        status = mailboxes_open(mpi);
    if (status == 0 && sched_getaffinity(0, sizeof(own), own) < 0)
        status = -errno;
    surveyed = survey_node(mpi, own);
    status = status < 0 ? status : surveyed;
    if (status < 0 && !error->message[0])
        error_say(error, status, "%s", strerror(-status));
    return runtime_agree(&mpi->transport, status, error);
}

/* That nobody balances the node is no failure. */
static void join_job(struct mpi_transport *mpi, struct steal_runtime *runtime)
{
    char problem[JOIN_PROBLEM_SIZE];

    if (join_as_wished(problem, &mpi->membership))
        runtime_fail(runtime, 0, "not balanced: %s", problem);
}

/* What is opened lies on the stack until all ranks have come so far. */
int steal_runtime_create(const void *comm, const struct steal_options *options,
                         struct steal_runtime **runtime, struct steal_error *error)
{
    struct mpi_transport opening = {.transport = {.ops = &mpi_transport_ops,
                                                  .kernel_clock = true,
                                                  .settings = getenv("JUGGLE_STEAL")},
                                    .comm = MPI_COMM_NULL,
                                    .node = MPI_COMM_NULL,
                                    .shared = MPI_WIN_NULL};
    struct mpi_transport *mpi = malloc(sizeof(*mpi));
    struct steal_error ignored;
    int result;

    if (!error)
        error = &ignored;
    error->message[0] = '\0';
    result = runtime ? mpi_begin(&opening, comm, options, error)
                     : error_say(error, -EINVAL, "there is no place for the runtime: it is NULL");
    if (result == 0)
        result = mpi_prepare(&opening, options, mpi ? 0 : -ENOMEM, error);
    if (result < 0 || !mpi) {
        if (!error->message[0])
            error_say(error, result, "the ranks cannot be reached: %s", strerror(-result));
        mpi_release(&opening);
        free(mpi);
        return result;
    }
    *mpi = opening;
    result = runtime_open(&mpi->transport, options, runtime, error);
    if (result == 0)
        join_job(mpi, *runtime);
    return result;
}
