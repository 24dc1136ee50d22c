/* SPDX-License-Identifier: BSD-3-Clause */
/* steal-sim: the stealing runtime on thousands of virtual ranks. */
#include "tools/steal-sim/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct steal_sim_settings settings;
    struct run_record *runs = NULL;
    int operands, count = 0, status = EXIT_USAGE;

    steal_sim_settings_init(&settings);
    if (options_parse(&steal_sim_command, argc, argv, &settings, &operands, &status))
        return status;
    if (operands < argc) {
        complain(steal_sim_command.name, "'%s' is not an option: see 'steal-sim --help'",
                 argv[operands]);
        return EXIT_USAGE;
    }
    int error = runs_plan(&settings, &runs, &count);
    if (error == -ENOMEM)
        complain(steal_sim_command.name, "no memory for %s", "so many simulations");
    if (!error)
        error = runs_play(&settings, runs, count);
    if (!error)
        error = runs_print(&settings, runs, count);
    runs_free(runs, count);
    return exit_status_of(error);
}
