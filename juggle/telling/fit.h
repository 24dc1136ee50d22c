/* SPDX-License-Identifier: BSD-3-Clause */
/* --fit: runtimes that start a thread for each processor of the machine are told by their variables
 * how many are of use here. Nothing that the user has set is changed. */
#ifndef JUGGLE_FIT_H
#define JUGGLE_FIT_H

#include "juggle/settings.h"

enum { FIT_TEXT_SIZE = 1024 };

/* What of `own` threads is one rank's, where `ranks` share a node that has room for `node`.
 * Pure. */
int fit_share(int own, int node, int ranks);

/* Leaves of a mask the processors that the user has named, or all where none of them is in it. */
void fit_narrow(const struct wish *wish, struct cpu_mask *mask);

/* Sets the variables in this process, for the command to inherit, if that is asked for, and
 * writes them as "NAME=VALUE NAME=VALUE", or "none". */
void fit_apply(const struct settings *settings, char *const *command, char text[FIT_TEXT_SIZE]);

#endif
