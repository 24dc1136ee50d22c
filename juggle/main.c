/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle: runs a program and makes its threads progress at the same rate.
 *
 *   settings   what the user asked for
 *   launch     runs a program; attach takes one that runs already; dry_run runs nothing
 *   explain    what limits a program; hindrances: what is in its way, and the remedy
 *   fit        how many threads runtimes are told to start; ranks: how many ranks a node has
 *   compare    `juggle --compare`: many runs, each a trial; benchmark: the statistics of them
 *   nproc      `juggle nproc`: how many threads are of use
 *   join       has another process balance it: juggled, or a coordinator (libjuggle/join)
 *   program    fork, exec, stops and exit status; signals are taken over and passed on
 *   waiting    variables that make the program wait without spinning and say that it waits
 *              which_mpi: which MPI it uses; elf: the libraries that its file names
 *   balance    the job (libjuggle/job/job.h) and everything that shows it:
 *   report     the text at the end, report_json the JSON; advice: what would help
 *   meter      processor time that others took; causes, blame: what the run waited for
 *   records    what is written during the run: tape for juggle-sim, trace and drawing
 *   output     files that are emptied only when there is something to write
 *   witness    tells which signals were sent to the whole process group
 *   live       the view while it runs */
#include "juggle/actions.h"
#include "juggle/command/not_run.h"
#include "juggle/nproc.h"
#include "juggle/settings.h"
#include "juggle/prepare/fit.h"
#include "cli/options.h"

#include <string.h>

/* Sets the variables of --fit. Call it before anything counts how many threads there will be. */
static void fit(const struct settings *settings, char *const *command)
{
    char text[FIT_TEXT_SIZE];

    fit_apply(settings, command, text);
    if (settings->verbose)
        complain("juggle", "threads that fit: %s", text);
}

/* --explain and --dry-run run nothing, but they refuse a command that could not be executed as a
 * run would. */
static int foretell(const struct settings *settings, char *const *command)
{
    const int error = *command ? not_run_expect(*command) : 0;

    if (error)
        return not_run_tell(*command, error);
    return settings->explain ? explain(settings, command) : dry_run(settings, command);
}

int main(int argc, char **argv)
{
    struct settings settings;
    int operands, exit_status;

    if (argc > 1 && !strcmp(argv[1], "nproc"))
        return nproc_command(argc - 1, argv + 1);
    if (settings_read(argc, argv, &settings, &operands, &exit_status))
        return exit_status;
    if (settings.list)
        return list();
    if (settings.explain || settings.dry_run)
        return foretell(&settings, argv + operands);
    if (settings.compare)
        return compare(&settings, argv + 1, operands - 1, argv + operands);
    if (settings.fit)
        fit(&settings, argv + operands);
    if (settings.pids)
        return attach(&settings, argv + operands);
    if (settings.join)
        return join(&settings, argv + operands);
    return launch(&settings, argv + operands);
}
