/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulations one after the other, or in processes of their own side by side, and their results as
 * a table or as JSON. */
#ifndef JUGGLE_STEAL_SIM_RUNS_H
#define JUGGLE_STEAL_SIM_RUNS_H

#include "tools/steal-sim/settings.h"

struct run_record {
    struct simulation_options options;
    struct simulation_result result;
    char *value[SWEEPS_MAX]; /* the swept values, to which the options point */
};

/* Makes a run for each combination of swept values and each seed. Returns 0, -EINVAL after
 * complaining, or -ENOMEM. */
int runs_plan(const struct steal_sim_settings *settings, struct run_record **runs,
              int *count) MUST_CHECK;

/* Simulates all of them. Returns 0, or -EINVAL, -ENOMEM or -EIO after complaining about the first
 * that failed. */
int runs_play(const struct steal_sim_settings *settings, struct run_record *runs,
              int count) MUST_CHECK;

/* Prints one run in full, or a row for each of several with the swept values. Returns 0, or -EIO
 * after complaining. */
int runs_print(const struct steal_sim_settings *settings, const struct run_record *runs,
               int count) MUST_CHECK;

void runs_free(struct run_record *runs, int count);

#endif
