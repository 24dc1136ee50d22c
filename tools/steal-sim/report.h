/* SPDX-License-Identifier: BSD-3-Clause */
/* What came of simulations, as a table or as JSON. */
#ifndef JUGGLE_STEAL_SIM_REPORT_H
#define JUGGLE_STEAL_SIM_REPORT_H

#include "tools/steal-sim/runs.h"

/* One of them in full, several as a row each, with what was swept. -EIO after complaining. */
int runs_print(const struct steal_sim_settings *settings, const struct run_record *runs,
               int count) MUST_CHECK;

#endif
