/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens a runtime over MPI: duplicates the communicator and examines the rank's node. */
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

/* Room for as many processors as the kernel can be built for, because it refuses smaller sets. */
enum { CPU_SETS = 8192 / CPU_SETSIZE };

/* Returns the least rank of the node, as a rank of the runtime's communicator. */
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

/* Finds the ranks and processors of the node. `own` are the processors that this rank may use; the
 * node's processors are those of all its ranks together. */
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

/* Returns what is wrong with a communicator, or NULL. */
static const char *comm_fault(MPI_Comm comm)
{
    int between_groups;

    if (comm == MPI_COMM_NULL)
        return "the communicator is MPI_COMM_NULL";
    if (MPI_Comm_test_inter(comm, &between_groups) != MPI_SUCCESS)
        return "the communicator is not valid";
    return between_groups ? "an intercommunicator has two groups: merge them first" : NULL;
}

/* Returns how many ranks the launcher says that it started, and in `*name` the variable that says
 * so; 0 if none does. SLURM_NTASKS is not used, because a batch script has it, too. */
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

/* Refuses a rank that is alone although its launcher started several: if the launcher belongs to
 * another MPI, each rank would do all the work. A program that passes MPI_COMM_SELF, or a user who
 * sets JUGGLE_ALONE=1, wants just that. */
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
    /* Checked before MPI is initialized, so that the program can correct its options and try
     * again. */
    const int result = options_resolve(given, mpi->transport.settings, &options, error->message);
    if (result < 0)
        return result;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return error_say(error, -EIO, "MPI cannot be initialized");
    mpi->initialized_here = true;
    return 0;
}

/* True if the options select threads mode. If they are wrong, opening the runtime reports it later
 * on all ranks. */
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
                     "threads mode needs MPI_THREAD_FUNNELED, and calls from the thread that "
                     "initialized MPI");
}

/* Open MPI's parameter of this name, as it is in effect: what the user has set, or true if the
 * launcher has started more ranks on the node than it has slots. The launcher tells Open MPI 4 so
 * in the environment, and Open MPI 5 by PMIx only. Another MPI has no such variable. */
extern bool ompi_mpi_yield_when_idle __attribute__((weak));

/* True if MPI yields while it polls. Known once MPI is initialized. */
static bool mpi_yields(void)
{
    return &ompi_mpi_yield_when_idle && ompi_mpi_yield_when_idle;
}

/* `status` is the result of this rank so far. A rank that has failed goes on until all ranks agree,
 * because the others would wait for it forever. The node is examined before that agreement: if its
 * ranks share processors, they sleep from then on while they wait. */
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

/* Joins the job of the node. If that fails, the runtime only warns. */
static void join_job(struct mpi_transport *mpi, struct steal_runtime *runtime)
{
    char problem[JOIN_PROBLEM_SIZE];

    if (join_as_wished(problem, &mpi->membership))
        runtime_fail(runtime, 0, "not balanced: %s", problem);
}

/* `opening` lies on the stack until all ranks have succeeded so far, because malloc() may fail on
 * one. */
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
                     : error_say(error, -EINVAL, "the argument runtime is NULL");
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
