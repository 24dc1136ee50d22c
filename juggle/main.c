/* SPDX-License-Identifier: BSD-3-Clause */
/* juggle: runs a program and makes its threads progress at the same rate.
 *
 *   settings   what the user asked for
 *   launch     runs a program; attach takes one that runs already; dry_run only shows
 *   explain    what limits a program; hindrances: what is in its way, and the remedy
 *   fit        how many threads runtimes are told to start; ranks: of how many ranks
 *   compare    `juggle --compare`: many runs, each a trial; benchmark: what they show
 *   nproc      `juggle nproc`: how many threads are of use
 *   join       has another process balance it: juggled, or a coordinator (libjuggle/join)
 *   program    fork, exec, stops and exit status; signals are taken over and passed on
 *   waiting    what the program is told before: to wait politely, and to say that it waits
 *              which_mpi: which MPI it is; elf: by the libraries that its file names
 *   balance    the job (libjuggle/job/job.h) with all that is shown of it:
 *   report     the text at the end, report_json the JSON; advice: what would help
 *   meter      what others took of the processors; causes, blame: what the run waited for
 *   records    what is written of it: tape for juggle-sim, trace and drawing of who ran where
 *   output     files that are emptied only when there is something to write
 *   witness    which signals the whole process group was sent
 *   live       the view while it runs */
#include "juggle/actions.h"
#include "juggle/command/not_run.h"
#include "juggle/nproc.h"
#include "juggle/settings.h"
#include "juggle/telling/fit.h"
#include "cli/options.h"

#include <string.h>

/* Before all else that looks at how many threads there will be. */
static void fit(const struct settings *settings, char *const *command)
{
    char text[FIT_TEXT_SIZE];

    fit_apply(settings, command, text);
    if (settings->verbose)
        complain("juggle", "threads that fit: %s", text);
}

/* Of the two that run nothing: a command that could not be run is refused as a run would be. */
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
