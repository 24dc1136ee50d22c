/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * juggle: runs a program and makes its threads progress at the same rate.
 *
 *   settings   what the user asked for
 *   launch     runs a program; attach takes one that runs already; dry_run only shows
 *   join       has another process balance it: juggled, or a coordinator (libjuggle/join)
 *   program    fork, exec, stops and exit status; signals are taken over and passed on
 *   waiting    what the program is told before: to wait politely, and to say that it waits
 *              which_mpi: which MPI it is; elf: by the libraries that its file names
 *   balance    the job (libjuggle/job/job.h) with all that is shown of it:
 *   report     the text at the end, report_json the JSON; advice: what would help
 *   meter      what others took of the processors
 *   output     files that are emptied only when there is something to write
 *   witness    which signals the whole process group was sent
 *   trace      who was placed where
 *   live       the view while it runs
 */
#include "juggle/attach.h"
#include "juggle/dry_run.h"
#include "juggle/join.h"
#include "juggle/launch.h"
#include "juggle/settings.h"

int main(int argc, char **argv)
{
    struct settings settings;
    int operands, exit_status;

    if (settings_read(argc, argv, &settings, &operands, &exit_status))
        return exit_status;
    if (settings.dry_run)
        return dry_run(&settings, argv + operands);
    if (settings.pids)
        return attach(&settings, argv + operands);
    if (settings.join)
        return join(&settings, argv + operands);
    return launch(&settings, argv + operands);
}
