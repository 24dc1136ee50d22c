/* SPDX-License-Identifier: BSD-3-Clause */
/* --fit: runtimes that start a thread for each processor of the machine are told by their
 * variables how many threads are of use here. No variable that the user has set is changed. */
#ifndef JUGGLE_FIT_H
#define JUGGLE_FIT_H

#include "juggle/settings.h"

enum { FIT_TEXT_SIZE = 1024 };

/* Returns how many threads one rank should start, if `ranks` of them share a node that has room
 * for `node` threads: at most `own`. Pure. */
int fit_share(int own, int node, int ranks);

/* Intersects the mask with the processors that the user has named. If the result would be empty,
 * the mask stays as it is. */
void fit_narrow(const struct wish *wish, struct cpu_mask *mask);

/* If --fit was asked for, sets the variables in this process, for the command to inherit. Writes
 * them as "NAME=VALUE NAME=VALUE", or "none". */
void fit_apply(const struct settings *settings, char *const *command, char text[FIT_TEXT_SIZE]);

#endif
