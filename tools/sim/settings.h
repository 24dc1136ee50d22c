/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user asks of juggle-sim, and the scenario that it stands for. */
#ifndef JUGGLE_SIM_SETTINGS_H
#define JUGGLE_SIM_SETTINGS_H

#include "libjuggle/cli/options.h"
#include "tools/sim/scenario.h"
#include "tools/sim/sweep.h"

struct speeds {
    int count; /* repeated over the processors */
    double values[MACHINE_PROCESSORS_MAX];
};

struct settings {
    struct scenario scenario; /* all but its machine and speeds is set by options */
    int processors_count;
    int domains_count;
    double smt_speed;
    struct speeds speeds;
    struct sweep sweep;
    bool json;
    bool picture;
    const char *trace_path;
    const char *record_path;
    const char *replay_path;
};

extern const struct command_spec settings_command;

void settings_init(struct settings *settings);

/* Whether the counts and times fit together; complains if not. 0 or -EINVAL. */
int settings_check(const struct settings *settings) MUST_CHECK;

/* The scenario, its machine and speeds built for the present counts. They have been checked. */
void settings_scenario(const struct settings *settings, struct scenario *scenario);

#endif
