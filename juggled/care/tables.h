/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of masks in a folder, as services leave them that are killed. */
#ifndef JUGGLE_JUGGLED_TABLES_H
#define JUGGLE_JUGGLED_TABLES_H

#include "libjuggle/ground/units.h"

#define TABLES_SUFFIX ".masks"

/* Gives all threads the masks that they are owed, and counts these threads. The tables stay. An
 * error that is passing is of one that could not be read; what could be was given back all the
 * same. */
int tables_restore(int dir_fd, int proc_fd, int *restored) MUST_CHECK;

void tables_forget(int dir_fd);

#endif
