/* SPDX-License-Identifier: BSD-3-Clause */
/* steal-sim: the stealing runtime on thousands of virtual ranks. */
#include "tools/steal-sim/runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct steal_sim_settings settings;
    struct run_record *runs = NULL;
    int count = 0, status;

    steal_sim_settings_init(&settings);
    if (options_parse(&steal_sim_command, argc, argv, &settings, NULL, &status))
        return status;
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
