/* SPDX-License-Identifier: BSD-3-Clause */
/* ubench under mpirun: ranks that meet in an Allreduce after each phase; built once per MPI. */
#include "cli/launched.h"
#include "tools/ubench/attendance.h"
#include "tools/ubench/member.h"
#include "tools/ubench/report.h"
#include "tools/ubench/settings.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {SETTINGS_OPTIONS, {0}};

static const struct command_spec command = {
    .name = "ubench-mpi",
    .synopsis = "[options]",
    .summary = "Computes phases in every rank of one node, with an Allreduce after each.",
    .options = options,
};

static void meet_in_allreduce(void *context)
{
    double *contribution = context, sum;

    MPI_Allreduce(contribution, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *contribution = sum / 2; /* depends on the sum, so that no reduction can be optimized away */
}

/* True if all ranks are on one node. They must read the same clock, because their arrivals are
 * compared. */
static bool ranks_share_a_node(int ranks_count)
{
    MPI_Comm node;
    int node_count;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &node_count);
    MPI_Comm_free(&node);
    return node_count == ranks_count;
}

static int calibrate_at_root(struct settings *settings, int rank)
{
    int error = rank == 0 ? settings_calibrate(settings) : 0;

    MPI_Bcast(&error, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&settings->iterations, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return error;
}

static void gather_rows(struct attendance *all, const struct attendance *own)
{
    const int count = (int)own->row_length;

    MPI_Gather(own->arrived_ns, count, MPI_INT64_T, all->arrived_ns, count, MPI_INT64_T, 0,
               MPI_COMM_WORLD);
    MPI_Gather(own->work_ns, count, MPI_INT64_T, all->work_ns, count, MPI_INT64_T, 0,
               MPI_COMM_WORLD);
}

static int run_rank(struct settings *settings, int rank)
{
    struct attendance own, all;
    double contribution = 1;
    const struct meeting meeting = {meet_in_allreduce, &contribution};

    int error = attendance_init(&own, 1, settings->phases_count);
    if (!error)
        error = attendance_init(&all, settings->members_count, settings->phases_count);
    if (error) {
        complain(settings->program, "no memory for %d phases: %s", settings->phases_count,
                 strerror(-error));
        return error;
    }
    error = member_run(settings, &meeting, rank, own.arrived_ns, own.work_ns);
    if (error)
        return error;
    gather_rows(&all, &own);
    const int64_t own_cpu_ns = report_cpu_time_ns();
    int64_t cpu_ns = 0;
    MPI_Reduce(&own_cpu_ns, &cpu_ns, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    return rank == 0 ? report_run(settings, &all, cpu_ns) : 0;
}

static int run(struct settings *settings)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &settings->members_count);
    if (!ranks_share_a_node(settings->members_count)) {
        complain(settings->program, "the ranks are on several nodes: start them all on one");
        return EXIT_USAGE;
    }
    return calibrate_at_root(settings, rank) || run_rank(settings, rank) ? EXIT_FAILURE
                                                                         : EXIT_SUCCESS;
}

static int check(void *settings)
{
    return settings_complete(settings);
}

int main(int argc, char **argv)
{
    struct settings settings = SETTINGS_DEFAULTS;
    int exit_status;

    settings.program = command.name;
    settings.exchange = "allreduce";
    if (launched_parse(&command, argc, argv, &settings, check, &exit_status))
        return exit_status;
    MPI_Init(&argc, &argv);
    exit_status = run(&settings);
    if (exit_status)
        MPI_Abort(MPI_COMM_WORLD, exit_status);
    MPI_Finalize();
    return exit_status;
}
