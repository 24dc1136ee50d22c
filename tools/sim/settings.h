/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user asks of juggle-sim, and the scenario that it stands for. */
#ifndef JUGGLE_SIM_SETTINGS_H
#define JUGGLE_SIM_SETTINGS_H

#include "cli/options.h"
#include "cli/speeds.h"
#include "tools/sim/scenario.h"
#include "tools/sim/sweep.h"

/* What options are without being given. */
#define STOLEN_SPELL_NS (5 * NSEC_PER_MSEC)
#define YIELD_SHARE     0.003 /* measured on kernel 6.18 */

/* What the policy is told of the processors' speeds. */
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
    struct scenario scenario; /* all but its machine and speeds is set by options */
    int processors_count;     /* 0: as many as speeds are listed, or the default */
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

/* Whether the counts and times fit together; complains if not. 0 or -EINVAL. */
int settings_check(const struct settings *settings) MUST_CHECK;

/* One line for each option that changes nothing beside the others. */
void settings_tell_unused(const struct settings *settings);

/* The scenario, its machine and speeds built for the present counts. They have been checked. */
void settings_scenario(const struct settings *settings, struct scenario *scenario);

#endif
