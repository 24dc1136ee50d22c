/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a run as comma-separated values: which tasks were on which processor from when to when,
 * moves, and ends of phases. */
#ifndef JUGGLE_SIM_TRACE_H
#define JUGGLE_SIM_TRACE_H

#include "tools/sim/rig.h"

#include <stdio.h>

/* Writes the names of the columns and returns an observer that writes the rows. The caller closes
 * the file. */
struct rig_observer trace_begin(FILE *file);

#endif
