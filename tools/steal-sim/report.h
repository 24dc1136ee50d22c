/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the results of simulations, as a table or as JSON. */
#ifndef JUGGLE_STEAL_SIM_REPORT_H
#define JUGGLE_STEAL_SIM_REPORT_H

#include "tools/steal-sim/runs.h"

/* Prints one run in full, or a row for each of several with the swept values. Returns 0, or -EIO
 * after complaining. */
int runs_print(const struct steal_sim_settings *settings, const struct run_record *runs,
               int count) MUST_CHECK;

#endif
