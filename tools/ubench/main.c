/* SPDX-License-Identifier: BSD-3-Clause */
/* ubench: phases of pure computation between barriers (the paper's section 5.1). */
#include "cli/options.h"
#include "tools/ubench/barrier.h"
#include "tools/ubench/crew.h"
#include "tools/ubench/attendance.h"
#include "tools/ubench/member.h"
#include "tools/ubench/report.h"
#include "tools/ubench/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

OPTION_WORD(option_barrier, enum barrier_kind, barrier_names, "block, yield, busy or omp")

static const struct option_spec options[] = {
    {"threads", 'n', "N", "run N threads (as many as processors)", option_count,
     offsetof(struct settings, members_count)},
    {"processes", 0, NULL, "run processes instead of threads", option_flag,
     offsetof(struct settings, processes)},
    {"barrier", 'b', "KIND", "wait by block, yield, busy or omp (block)", option_barrier,
     offsetof(struct settings, barrier)},
    {"tell-waits", 0, NULL, "tell juggle(1) when a member waits for the others", option_flag,
     offsetof(struct settings, tell_waits)},
    SETTINGS_OPTIONS,
    {"calibrate", 0, NULL, "print the iterations of a phase and exit", option_flag,
     offsetof(struct settings, calibrate_only)},
    {0},
};

static const struct command_spec command = {
    .name = "ubench",
    .synopsis = "[options]",
    .summary = "Computes phases in parallel, with a barrier after each, and prints their times.",
    .options = options,
};

struct run {
    const struct settings *settings;
    const struct attendance *attendance;
    struct meeting meeting;
};

static void meet_at_barrier(void *context)
{
    barrier_wait(context);
}

/* If a member fails, the whole process ends, because the others would wait at the barrier. */
static void run_member(void *context, int index)
{
    const struct run *run = context;

    if (member_run(run->settings, &run->meeting, index,
                   attendance_arrived_row(run->attendance, index),
                   attendance_work_row(run->attendance, index)))
        _Exit(EXIT_FAILURE);
}

static enum crew_kind crew_kind(const struct settings *settings)
{
    if (settings->barrier == BARRIER_OMP)
        return CREW_OMP;
    return settings->processes ? CREW_PROCESSES : CREW_THREADS;
}

static int run_and_report(const struct settings *settings)
{
    struct attendance attendance;
    struct barrier *barrier = mmap(NULL, sizeof(*barrier), PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int error = barrier == MAP_FAILED ? -errno : 0;

    if (!error)
        error = attendance_init(&attendance, settings->members_count, settings->phases_count);
    if (error) {
        complain(settings->program, "no memory for %d members and %d phases: %s",
                 settings->members_count, settings->phases_count, strerror(-error));
        return error;
    }
    barrier_init(barrier, settings->barrier, settings->members_count);
    struct run run = {settings, &attendance, {meet_at_barrier, barrier}};
    error = crew_run(crew_kind(settings), settings->members_count, run_member, &run);
    if (error)
        complain(settings->program, "--threads %d: not all members ran: %s",
                 settings->members_count,
                 error == -ECHILD ? "one failed, or was killed" : strerror(-error));
    else
        error = report_run(settings, &attendance, report_cpu_time_ns());
    return error; /* the end of the process unmaps the memory */
}

int main(int argc, char **argv)
{
    struct settings settings = SETTINGS_DEFAULTS;
    int exit_status;

    settings.program = command.name;
    if (options_parse(&command, argc, argv, &settings, NULL, &exit_status))
        return exit_status;
    settings.exchange = barrier_names[settings.barrier];
    if (settings_complete(&settings))
        return EXIT_USAGE;
    if (settings_calibrate(&settings))
        return EXIT_FAILURE;
    if (settings.calibrate_only) {
        report_calibration(&settings);
        return stdout_finish(command.name) ? EXIT_FAILURE : EXIT_SUCCESS;
    }
    return run_and_report(&settings) ? EXIT_FAILURE : EXIT_SUCCESS;
}
