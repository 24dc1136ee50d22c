/* SPDX-License-Identifier: BSD-3-Clause */
/* A run as comma-separated values: who was on which processor from when to when, moves, ends of
 * phases. */
#ifndef JUGGLE_SIM_TRACE_H
#define JUGGLE_SIM_TRACE_H

#include "tools/sim/rig.h"

#include <stdio.h>

/* Writes the names of the columns. The observer writes the rows; the file stays the caller's. */
struct rig_observer trace_begin(FILE *file);

#endif
