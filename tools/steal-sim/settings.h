/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of steal-sim. */
#ifndef JUGGLE_STEAL_SIM_SETTINGS_H
#define JUGGLE_STEAL_SIM_SETTINGS_H

#include "cli/options.h"
#include "tools/steal-sim/presets.h"
#include "tools/steal-sim/simulation.h"

enum { SWEEPS_MAX = 6 };

struct steal_sim_settings {
    struct simulation_options options;
    int seeds_count;
    int jobs;                      /* processes at a time; 0: as many as there are processors */
    const char *sweep[SWEEPS_MAX]; /* "OPTION=VALUE,VALUE" */
    int sweeps_count;
    const char *trace_path;
    bool json;
};

extern const struct command_spec steal_sim_command;

void steal_sim_settings_init(struct steal_sim_settings *settings);

/* Fills in the options that were not given and that depend on the workload only. Returns 0, or
 * -EINVAL after complaining about an option that would have no effect. */
int simulation_options_settle(struct simulation_options *options) MUST_CHECK;

/* All that is needed to run a simulation. */
struct prepared_simulation {
    struct simulation_settings simulation;
    struct simulated_machine *machine;
    struct workload work;
};

/* Prepares a simulation after simulation_options_settle(). Returns 0, -EINVAL after complaining
 * about options that do not fit together, or -ENOMEM. */
int simulation_options_prepare(const struct simulation_options *options,
                               struct prepared_simulation *prepared) MUST_CHECK;
void prepared_simulation_free(struct prepared_simulation *prepared);

/* Sets an option of the simulation by its name, as the command line does. Returns 0, or -EINVAL
 * after complaining. */
int simulation_options_set(struct steal_sim_settings *settings, const char *name,
                           const char *value) MUST_CHECK;

#endif
