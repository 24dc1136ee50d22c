/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches a tree with all ranks of an MPI program, by stealing. */
#ifndef JUGGLE_UTS_PARALLEL_H
#define JUGGLE_UTS_PARALLEL_H

#include "tools/uts/report.h"

/* Collective. Fills in the result of all ranks on rank 0, where *root becomes true. Returns 0, or
 * -errno after complaining. */
int parallel_search(const struct settings *settings, struct result *result, bool *root) MUST_CHECK;

#endif
