/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of juggle-sim, and the scenario that it describes. */
#ifndef JUGGLE_SIM_SETTINGS_H
#define JUGGLE_SIM_SETTINGS_H

#include "cli/options.h"
#include "cli/speeds.h"
#include "tools/sim/scenario.h"
#include "tools/sim/sweep.h"

/* Defaults of options. */
#define STOLEN_SPELL_NS (5 * NSEC_PER_MSEC)
#define YIELD_SHARE     0.003 /* measured on kernel 6.18 */

/* What the policy is told about the processors' speeds. */
enum told_kind {
    TOLD_TRUTH,
    TOLD_EQUAL,
    TOLD_NOTHING,
    TOLD_LIST,
};

struct told_speeds {
    enum told_kind kind;
    struct speeds speeds; /* of TOLD_LIST */
};

struct settings {
    struct scenario scenario; /* set by options, except its machine and speeds */
    int processors_count;     /* 0: the number of speeds listed, or the default */
    int domains_count;
    struct speeds speeds;
    struct speeds_smt smt;
    struct told_speeds told;
    struct sweep sweep;
    bool json;
    bool picture;
    const char *picture_path; /* of a replay: NULL for the terminal */
    const char *trace_path;
    const char *record_path;
    const char *replay_path;
};

extern const struct command_spec settings_command;

void settings_init(struct settings *settings);

/* Checks that the counts and times fit together. Returns 0, or -EINVAL after complaining. */
int settings_check(const struct settings *settings) MUST_CHECK;

/* Prints a line for each option that has no effect with the other ones that were given. */
void settings_tell_unused(const struct settings *settings);

/* Builds the scenario, with its machine and speeds. The settings must have been checked. */
void settings_scenario(const struct settings *settings, struct scenario *scenario);

#endif
